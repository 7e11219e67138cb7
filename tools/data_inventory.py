"""Write `docs/data-inventory.md` from the inventory of the store."""

from pathlib import Path

from oblio.storage.inventory import page

TARGET = Path(__file__).parent.parent / "docs" / "data-inventory.md"

if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    print(TARGET.name)
