"""The parser: reads what strangers upload, in a process of its own that can reach nothing and may grow to nothing.

``kinds`` is the only part that runs anywhere else. Everything here needs the standard library and pypdf alone.
"""
