"""`acompass core`."""

POLICY = "ALWAYS : REPLACE Name WITH '*'; ALWAYS : GENERALIZE Age TO BANDS OF 10; EACH RESULT : Zip <> 'x';"


def test_a_policy_is_printed_in_the_core(acompass, policy, tmp_path):
    (tmp_path / "t.csv").write_text("Name,Age,Zip\na,31,x\nb,38,y\nc,44,y\n")
    ran = acompass("core", policy(POLICY), "--table", "t.csv")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "EACH RESULT\n   : NOT (Age = 31 OR Age = 38)\n   : REPLACE Age WITH '30-39';" in ran.stdout
    again = acompass("core", "-", given=ran.stdout)
    assert (again.exit_code, again.stdout) == (0, ran.stdout)


def test_what_cannot_be_printed_is_said_with_its_line(acompass, policy):
    ran = acompass("core", policy(f"{POLICY}\nALWAYS : DROP Zip;"))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC061]: `DROP` cannot be written in the core" in ran.stderr
    assert "policy.acp:2:10" in ran.stderr


def test_a_table_is_asked_for_only_where_values_are_needed(acompass, policy):
    assert acompass("core", policy("ALWAYS : REPLACE Name WITH k;")).exit_code == 0
    ran = acompass("core", policy(POLICY))
    assert ran.exit_code == 2
    assert "give a table that has them, with `--table`" in ran.stderr
