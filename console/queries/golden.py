"""What the page golden asks of ClickHouse."""
