from acompass.cli import main

main()
