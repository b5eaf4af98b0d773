"""Spans of many traces, arriving in any order, put together trace by trace."""
