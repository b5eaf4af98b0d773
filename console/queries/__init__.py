"""What pages ask of ClickHouse, a module for each page: values are always bound, never written into SQL."""
