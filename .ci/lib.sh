# Shared by the scripts of this folder; sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Absolute, because tests run in the folder of their crate.
ANYRIG_CORPUS=$(realpath -m "${ANYRIG_CORPUS:-$root/../shared/corpus}")
export ANYRIG_CORPUS
anyrig=$(realpath -m "${ANYRIG_BIN:-$root/target/release/anyrig}")

die() {
    echo "$0: $*" >&2
    exit 1
}

need_corpus() {
    [ -f "$ANYRIG_CORPUS/MANIFEST.tsv" ] || die "no corpus at $ANYRIG_CORPUS; set ANYRIG_CORPUS"
}

need_anyrig() {
    [ -x "$anyrig" ] || die "no program at $anyrig; cargo build --release, or set ANYRIG_BIN"
}

# Stages: each is timed, a failure does not hide the next one, the table at the end tells all.
stage_names=()
stage_times=()
stage_results=()

stage() {
    local name=$1 start=$SECONDS result=ok
    shift
    printf '\n==> %s\n' "$name"
    "$@" || result=FAILED
    stage_names+=("$name")
    stage_times+=($((SECONDS - start)))
    stage_results+=("$result")
    printf -- '--- %s: %s, %d s\n' "$name" "$result" "$((SECONDS - start))"
    [ "$result" = ok ]
}

# summary SECONDS: prints the table of all stages, and a line where they took longer than that; fails where one of them
# did. Time alone fails nothing: machines differ.
summary() {
    local index failed=0 budget=$1
    printf '\n%-24s %8s  %s\n' stage seconds result
    for index in "${!stage_names[@]}"; do
        printf '%-24s %8d  %s\n' "${stage_names[index]}" "${stage_times[index]}" "${stage_results[index]}"
        [ "${stage_results[index]}" = ok ] || failed=$((failed + 1))
    done
    printf '%-24s %8d  %d of %d stages failed\n' total "$SECONDS" "$failed" "${#stage_names[@]}"
    [ "$SECONDS" -le "$budget" ] || printf 'over the budget of %d s\n' "$budget"
    [ "$failed" = 0 ]
}
