"""What Grafana, Prometheus and Alertmanager are given. Dashboards are code, and JSON in `dashboards/`."""
