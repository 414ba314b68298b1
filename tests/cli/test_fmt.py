import os

DRAFT = "-- ages\neach result: Age<=80: replace Age with 80;"


def test_a_policy_is_rewritten_once(acompass, policy, tmp_path):
    path = policy(DRAFT)
    ran = acompass("fmt", path)
    assert (ran.exit_code, ran.stdout) == (0, "formatted policy.acp\n")
    text = (tmp_path / path).read_text()
    assert "EACH RESULT" in text
    assert "-- ages" in text
    again = acompass("fmt", path)
    assert (again.exit_code, again.output) == (0, "")
    assert (tmp_path / path).read_text() == text


def test_check_writes_nothing_and_exits_with_1_on_a_difference(acompass, policy, tmp_path):
    path = policy(DRAFT)
    ran = acompass("fmt", "--check", path)
    assert (ran.exit_code, ran.stdout) == (1, "would format policy.acp\n")
    assert (tmp_path / path).read_text() == DRAFT
    acompass("fmt", path)
    assert acompass("fmt", "--check", path).exit_code == 0


def test_standard_input_goes_to_standard_output(acompass):
    ran = acompass("fmt", "-", given=DRAFT)
    assert ran.exit_code == 0
    assert ran.stdout.startswith("-- ages\nEACH RESULT")


def test_a_policy_with_an_error_is_left_alone_and_the_others_are_not(acompass, policy, tmp_path):
    wrong, right = policy("EACH RESULT Age;", "wrong.acp"), policy(DRAFT, "right.acp")
    ran = acompass("fmt", wrong, right)
    assert ran.exit_code == 2
    assert "wrong.acp:1:" in ran.stderr
    assert (tmp_path / wrong).read_text() == "EACH RESULT Age;"
    assert (tmp_path / right).read_text() != DRAFT


def test_mode_and_link_of_a_policy_are_kept(acompass, policy, tmp_path):
    path = tmp_path / policy(DRAFT)
    path.chmod(0o640)
    (tmp_path / "link.acp").symlink_to(path)
    acompass("fmt", "link.acp")
    assert os.path.islink(tmp_path / "link.acp")
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text() != DRAFT
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.acp", "people.csv", "policy.acp"]
