"""The demo: simulated bilingual help-desk traffic of our own writing, and the report on what was found.

Everything here is simulated and says so: companies, products and people are invented.
"""
