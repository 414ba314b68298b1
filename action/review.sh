#!/usr/bin/env bash
# Run the checks that action.yml requests on each policy. Writes the job summary, SARIF, JUnit files and outputs.
# A pull request controls the names of files and branches, so they are used only in quoted variables, after `--`, and
# are never printed unescaped. Needs bash 4.4, Git and the environment that action.yml installs.
set -euo pipefail

readonly FINDING=1 ERROR=2
readonly LARGEST_SUMMARY=1000000 # GitHub rejects more than 1 MiB
readonly QUESTIONS=(fmt lint prove compare check)

acompass=$RUNNER_TEMP/acompass/bin/acompass
python=$RUNNER_TEMP/acompass/bin/python
reports=$(mktemp -d "$RUNNER_TEMP/acompass-reports.XXXXXX")
mkdir "$reports/sarif" "$reports/junit" "$reports/base"
overview=$reports/overview.md
details=$reports/details.md
touch "$overview" "$details"

worst=0
asked=0
base_commit=
prefix=
patterns=()
policies=()
deleted=()
declare -A renamed_from=() verdicts=()

main() {
    read_inputs
    enter_repository
    find_base
    list_files
    # from here on, the runner treats no output as a command
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    trap 'echo "::$token::"' EXIT
    echo "::stop-commands::$token"
    local policy
    for policy in "${policies[@]}"; do
        review "$policy"
    done
    for policy in "${deleted[@]}"; do
        add_row "$policy" – – – "❌ deleted" –
        detail "$policy" "❌ The policy is deleted, so its guarantees are lost."
        note_code "$FINDING"
    done
    write_outputs
}

# -- inputs ------------------------------------------------------------------------------------------------------------

read_inputs() {
    local question switch line
    for question in "${QUESTIONS[@]}"; do
        switch=INPUT_${question^^}
        is_one_of "${!switch}" true false || stop "$question must be true or false"
    done
    is_one_of "$INPUT_FAIL_ON" finding error never || stop "fail-on must be finding, error or never"
    common=(--deadline "$INPUT_DEADLINE")
    settings=()
    while IFS= read -r line; do
        [ -z "$line" ] || settings+=(--set "$line")
    done <<< "$INPUT_PARAMS"
    while IFS= read -r line; do
        [ -z "$line" ] || common+=(--types "$line")
    done <<< "$INPUT_TYPES"
    while IFS= read -r line; do
        [ -z "$line" ] || patterns+=(":(glob)$line")
    done <<< "$INPUT_POLICIES"
    [ ${#patterns[@]} -gt 0 ] || stop "the input policies is empty"
}

is_one_of() {
    local value=$1 each
    shift
    for each in "$@"; do
        [ "$value" != "$each" ] || return 0
    done
    return 1
}

# Run everything in the top folder, so that paths in reports are relative to the repository.
enter_repository() {
    cd -- "$INPUT_WORKING_DIRECTORY" || stop "working-directory does not exist"
    prefix=$(git rev-parse --show-prefix) || stop "working-directory is not in a Git checkout; run actions/checkout first"
    cd -- "$(git rev-parse --show-toplevel)"
    table=$INPUT_TABLE
    if [ -n "$table" ]; then
        [[ $table == /* ]] || table=$prefix$table
        common+=(--table "$table")
    fi
}

stop() {
    echo "::error title=acompass::$1"
    echo "acompass: $1" >> "$GITHUB_STEP_SUMMARY"
    exit "$ERROR"
}

# -- the base branch ---------------------------------------------------------------------------------------------------

# The commit at which this branch left the base branch; empty if there is nothing to compare with.
find_base() {
    local base=${INPUT_BASE:-${GITHUB_BASE_REF:-}} tip
    if [ "$INPUT_COMPARE" = false ]; then
        return
    elif [ -z "$base" ]; then
        echo "Not compared: this is not a pull request, and the input \`base\` is empty." >> "$details"
        return
    fi
    git check-ref-format "refs/heads/$base" || stop "base is not the name of a branch, a tag or a commit"
    tip=$(commit_of "refs/remotes/origin/$base" || commit_of "$base" || fetch_commit "$base") ||
        stop "the base branch cannot be fetched; set \`fetch-depth: 0\` for actions/checkout"
    # without the history, use the tip of the base branch
    base_commit=$(git merge-base "$tip" HEAD) || base_commit=$tip
    echo "Compared with commit ${base_commit:0:12}." >> "$details"
    # copy all files: a policy needs its hierarchies and its acompass.toml
    in_base read-tree "$base_commit"
    in_base checkout-index --all --prefix="$reports/base/"
}

# Reject names that begin with `-`, which Git would read as options.
commit_of() {
    [[ $1 != -* ]] && git rev-parse --verify --quiet "$1^{commit}"
}

fetch_commit() {
    git fetch --quiet --no-tags --depth=1 -- origin "$1" >&2 && commit_of FETCH_HEAD
}

# Run Git with the files of the base commit as the index.
in_base() {
    GIT_INDEX_FILE=$reports/index git "$@"
}

# -- the policies ------------------------------------------------------------------------------------------------------

list_files() {
    local policy old
    (cd -- "./$prefix" && git ls-files -z --full-name --cached --others --exclude-standard -- "${patterns[@]}") > "$reports/now"
    while IFS= read -r -d '' policy; do
        [ ! -f "$policy" ] || policies+=("$policy")
    done < "$reports/now"
    if [ -n "$base_commit" ]; then
        git diff -z --name-status --find-renames --diff-filter=R "$base_commit" -- > "$reports/renamed"
        while IFS= read -r -d '' _ && IFS= read -r -d '' old && IFS= read -r -d '' policy; do
            renamed_from["$policy"]=$old
        done < "$reports/renamed"
        list_deleted
    fi
    [ $((${#policies[@]} + ${#deleted[@]})) -gt 0 ] || stop "no policy matches the globs of the input policies"
}

list_deleted() {
    local policy kept=("${renamed_from[@]}")
    (cd -- "./$prefix" && in_base ls-files -z --full-name -- "${patterns[@]}") > "$reports/before"
    while IFS= read -r -d '' policy; do
        [ -f "$policy" ] || is_one_of "$policy" "${kept[@]}" || deleted+=("$policy")
    done < "$reports/before"
}

# -- checks ------------------------------------------------------------------------------------------------------------

review() {
    local policy=$1 question formatted cells=()
    verdicts=()
    detail "$policy"
    formatted=$(format_code "$policy")
    if [ "$formatted" -ge "$ERROR" ]; then
        # every check would fail because the policy cannot be read, so run only one
        ask lint "${common[@]}" -- "$policy"
    else
        for question in "${QUESTIONS[@]}"; do
            "ask_$question" "$policy"
        done
    fi
    for question in "${QUESTIONS[@]}"; do
        cells+=("${verdicts[$question]:-–}")
    done
    add_row "$policy" "${cells[@]}"
}

# Print 0 for a policy in canonical form, 1 for another policy, 2 for a file that is not a valid policy.
format_code() {
    local code=0
    "$acompass" fmt --check -- "$1" < /dev/null > /dev/null 2>&1 || code=$?
    echo "$code"
}

ask_fmt() {
    [ "$INPUT_FMT" = true ] || return 0
    note fmt "$formatted"
    [ "$formatted" -eq 0 ] || echo "❌ The policy is not in canonical form. Run \`acompass fmt\` to rewrite it." >> "$details"
}

ask_lint() {
    [ "$INPUT_LINT" = false ] || ask lint "${common[@]}" "${settings[@]}" -- "$1"
}

ask_prove() {
    [ "$INPUT_PROVE" = false ] || ask prove "${common[@]}" "${settings[@]}" -- "$1"
}

ask_compare() {
    local policy=$1 old=${renamed_from["$1"]:-$1}
    if [ -z "$base_commit" ]; then
        return
    elif [ ! -f "$reports/base/$old" ]; then
        verdicts[compare]="new"
        return
    fi
    if [ "$(format_code "$reports/base/$old")" -ge "$ERROR" ]; then
        verdicts[compare]="unreadable before"
    else
        ask compare --impact "${common[@]}" "${settings[@]}" -- "$reports/base/$old" "$policy"
    fi
}

ask_check() {
    [ "$INPUT_CHECK" = false ] || ask check --no-progress "${settings[@]}" -- "$1" ${table:+"$table"}
}

# ask COMMAND ARGUMENT…: run a command once and write all its reports.
ask() {
    local command=$1 code=0 file
    shift
    asked=$((asked + 1))
    printf -v file '%04d-%s' "$asked" "$command"
    rm -f "$reports/answer.md"
    "$acompass" "$command" --also "markdown=$reports/answer.md" --also "sarif=$reports/sarif/$file.sarif" \
        --also "junit=$reports/junit/$file.xml" "$@" < /dev/null > "$reports/log" 2>&1 || code=$?
    if [ "$command" = check ] && [ -z "$table" ] && grep --quiet '"AC411"' "$reports/sarif/$file.sarif"; then
        rm "$reports/sarif/$file.sarif" "$reports/junit/$file.xml"
        verdicts[check]="no table"
        return
    fi
    note "$command" "$code"
    if [ "$command" = check ] && grep --quiet '"ruleId": "nothing-checked"' "$reports/sarif/$file.sarif"; then
        verdicts[check]="no check"
    fi
    echo "== $command"
    cat "$reports/log"
    fold "$code" "<summary>$command</summary>" >> "$details"
}

# Collapse checks that pass, so that failed ones stand out.
fold() {
    local open=open
    [ "$1" -gt 0 ] || open=
    printf '\n<details %s>%s\n\n' "$open" "$2"
    cat "$reports/answer.md"
    printf '\n</details>\n'
}

note() {
    local signs=("✅" "❌")
    verdicts[$1]=${signs[$2]:-⚠️ error}
    note_code "$2"
}

note_code() {
    [ "$1" -le "$worst" ] || worst=$1
}

# -- outputs -----------------------------------------------------------------------------------------------------------

# detail POLICY [TEXT]: start the section about a policy in the summary.
detail() {
    printf '\n## %s\n\n%s\n' "$(format_name "$1")" "${2:-}" >> "$details"
    printf '\n%q\n' "$1"
}

add_row() {
    local policy=$1 row
    shift
    printf -v row ' %s |' "$(format_name "$policy")" "$@"
    echo "|$row" >> "$overview"
}

# Format a name as code in a table cell: shell-quoted, and without characters that end code or a cell.
format_name() {
    local quoted
    printf -v quoted '%q' "$1"
    quoted=${quoted//[\`|]/?}
    echo "\`$quoted\`"
}

write_outputs() {
    local ok=true failed=false
    [ "$worst" -eq 0 ] || ok=false
    case $INPUT_FAIL_ON in
        finding) [ "$worst" -lt "$FINDING" ] || failed=true ;;
        error) [ "$worst" -lt "$ERROR" ] || failed=true ;;
    esac
    "$python" "$GITHUB_ACTION_PATH/action/merge_sarif.py" "$reports/sarif" > "$reports/acompass.sarif"
    write_summary > "$reports/summary.md"
    head --bytes="$LARGEST_SUMMARY" "$reports/summary.md" >> "$GITHUB_STEP_SUMMARY"
    {
        echo "ok=$ok"
        echo "failed=$failed"
        echo "sarif=$reports/acompass.sarif"
        echo "junit=$reports/junit"
    } >> "$GITHUB_OUTPUT"
}

write_summary() {
    echo "# A-COMPASS"
    echo
    echo "| policy | fmt | lint | prove | compare | check |"
    echo "| --- | --- | --- | --- | --- | --- |"
    cat "$overview"
    echo
    cat "$details"
}

main
