print("scened")
