def ticket_price(visitor: str) -> str:
    return visitor
