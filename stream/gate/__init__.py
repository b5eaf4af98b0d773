"""The gate's doings: answers from files or an endpoint, scores for them, reports, baselines."""
