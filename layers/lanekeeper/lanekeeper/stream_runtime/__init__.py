"""A Lambda runtime loop that streams: what the managed Python runtime cannot do.

Lambda starts it in place of its own client through ``AWS_LAMBDA_EXEC_WRAPPER`` (the script ``stream-wrapper``).
It asks the Runtime API for one event after another, has Mangum turn each into an ASGI request, and passes the
app's answer on piece by piece while it is being made. To be deleted when the managed client streams.
"""
