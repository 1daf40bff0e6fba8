"""Where each function is put together from its settings: the only place that knows all the pieces."""
