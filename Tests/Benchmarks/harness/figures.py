"""The arithmetic of the measurements: quartiles, ratios of pairs, goals."""


def quantile(numbers, share):
    """The number below which `share` of them lie, between neighbours by straight line."""
    if not numbers:
        raise ValueError("no numbers")
    numbers = sorted(numbers)
    place = share * (len(numbers) - 1)
    low = int(place)
    high = min(low + 1, len(numbers) - 1)
    return numbers[low] + (numbers[high] - numbers[low]) * (place - low)


def summary(numbers):
    """Median and quartiles, and how many there are."""
    return {
        "median": quantile(numbers, 0.5),
        "lowerQuartile": quantile(numbers, 0.25),
        "upperQuartile": quantile(numbers, 0.75),
        "count": len(numbers),
    }


def paired(ours, peers):
    """The summary of ours divided by the peer's, turn by turn.

    What else the machine does in a turn meets both of its pair.
    """
    if len(ours) != len(peers):
        raise ValueError(f"{len(ours)} numbers and {len(peers)} are no pairs")
    return summary([our / peer for our, peer in zip(ours, peers)])


def is_reached(value, most):
    """None when there is no goal."""
    return None if most is None else value <= most
