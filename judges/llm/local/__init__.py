"""A judge without a key: a small instruct model on this machine, asked for one word at a time.

It is a demonstration of judging, and no quality claim rests on it. A model of this size cannot fill in the
rubric's forms, and what it says outright is hardly better than a guess; but the *odds* that it gives "yes"
against "no" do tell a supported claim from an invented one, once a boundary has been fitted to them. So each
claim of an answer is put to it as one question, and one token is read.

The model is none of ours: it is installed from a registry by whoever wants it (`parts`), served by a process
of its own over the chat API that every judge speaks (`serving`, `llama`), and asked over HTTP (`client`).
"""
