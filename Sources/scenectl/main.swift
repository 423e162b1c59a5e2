print("scenectl")
