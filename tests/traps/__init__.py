"""Questions that one word, sign or name turns into another question: a plain figure would be a wrong number."""
