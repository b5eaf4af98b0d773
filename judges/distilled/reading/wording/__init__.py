"""How people word things, in Chinese and English: reading sentences by vocabularies and rules.

The vocabularies and rules themselves lie in `judges/distilled/data`, one file a purpose and language
(`refusal.en.txt`, `followup.zh.txt` …); `parsing` says how to read them and `grammar` what they mean. The
logic that uses them lives a folder up, in `declining`, `refusal`, `followup` and `claims`.
"""
