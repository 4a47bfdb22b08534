"""What tokens cost: the prices of models, from a table that comes with a package and needs no network."""

from shiftwork.domain.usage.usage import Usage


def price(model: str, usage: Usage) -> float | None:
    """In USD; None where the price of the model is not known. Input that no cache is told of is taken to be dear, so
    rather too much than too little.
    """
    # The table takes a third of a second to load, and most agents tell their costs themselves.
    from genai_prices import Usage as Counted  # noqa: PLC0415
    from genai_prices import calc_price  # noqa: PLC0415

    cached = min(usage.cached_tokens, usage.input_tokens)
    counted = Counted(input_tokens=usage.input_tokens, cache_read_tokens=cached, output_tokens=usage.output_tokens)
    try:
        return float(calc_price(counted, model_ref=model).total_price)
    except LookupError:
        return None
