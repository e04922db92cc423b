"""Shows answers: text, Markdown and JSON, in English and Chinese.

A renderer may leave things out, never alter them: everything it prints is in the answer's JSON.
"""
