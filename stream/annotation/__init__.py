"""The queue's filler, and what the commands around the queue share."""
