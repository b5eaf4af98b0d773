"""What the page gaps asks of ClickHouse."""
