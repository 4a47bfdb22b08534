"""What tokens cost: the prices of models, from a table that comes with a package and needs no network."""

from shiftwork.domain.usage.usage import Usage


def price(model: str, usage: Usage) -> float | None:
    """Returns the cost in USD; None if the model's price is unknown. Input without cache counts is priced as uncached:
    rather too much than too little.
    """
    # The table takes a third of a second to load, and most agents report their costs themselves.
    from genai_prices import Usage as Counted  # noqa: PLC0415
    from genai_prices import calc_price  # noqa: PLC0415

    cached = min(usage.cached_tokens, usage.input_tokens)
    counted = Counted(input_tokens=usage.input_tokens, cache_read_tokens=cached, output_tokens=usage.output_tokens)
    try:
        return float(calc_price(counted, model_ref=model).total_price)
    except LookupError:
        return None
