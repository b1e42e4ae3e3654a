#!/bin/sh
# A cluster of one node, which this test starts in a temporary folder, runs the jobs of the guides: MPI under srun, and arrays
# of shards and of seeds:  sh slurm.sh SOURCE GRADER CACHE [MPI GPT]...
# GPT is the example gpt, linked with MPI, which is openmpi or mpich.
set -u
source=$(cd "$1" && pwd) || exit 1
grader=$2 cache=$3
shift 3
PATH=$PATH:/usr/sbin:/sbin
. "$source/tests/harness/tap.sh"
for tool in slurmctld slurmd sbatch srun sinfo; do
    command -v $tool >/dev/null || skip_all "$tool is not installed (slurm-wlm)"
done
# Meson names programs as seen from the build folder.
here=$PWD
absolute() { case $1 in /*) echo "$1" ;; *) echo "$here/$1" ;; esac; }
grader=$(absolute "$grader") cache=$(absolute "$cache")
cd "$work" || exit 1

# ---- the controller and one node ---------------------------------------------------------------------------

node=$(hostname -s) user=$(id -un) port=$((20000 + $$ % 20000))
mkdir state spool
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
SlurmdTimeout=0
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE
END
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
slurmctld -D >ctld.log 2>&1 &
daemons=$!
trap 'kill $daemons 2>/dev/null; wait; rm -rf "$work"' EXIT
slurmd -D >slurmd.log 2>&1 &
daemons="$daemons $!"
waited=0
until sinfo -h -o %t 2>/dev/null | grep -qx idle; do
    waited=$((waited + 1)) && sleep 0.5
    [ $waited -le 60 ] || skip_all "Slurm does not start here: $(tail -n 1 ctld.log) $(tail -n 1 slurmd.log)"
done

# ---- one training by several processes: nn/mpi/README.md ---------------------------------------------------

gpt=''
while [ $# -gt 0 ]; do
    mpi=$1 gpt=$(absolute "$2")
    shift 2
    case $mpi in openmpi) plugin=pmix ;; *) plugin=pmi2 ;; esac
    if ! srun --mpi=list 2>&1 | grep -qw $plugin; then
        skip "$mpi under srun" "this Slurm has no $plugin"
        continue
    fi
    options="--decode greedy --length 8 --steps 4 --quiet --threads 1"
    # shellcheck disable=SC2086  # a list of options
    attempt "$mpi: four steps on one process" "$gpt" $options --slices 8 --out one --save one.safetensors
    printf '#!/bin/sh\n#SBATCH --nodes=1 --ntasks=2 --overcommit --output=job.log\nsrun --overcommit --mpi=%s %s %s --out two --save two.safetensors\n' \
        $plugin "$gpt" "$options" >job.sh
    attempt "$mpi: a job script for two processes" timeout 120 sbatch --wait job.sh
    attempt "$mpi: the weights have the bits of one process" cmp one.safetensors two.safetensors
    attempt "$mpi: rank 0 alone speaks" [ "$(grep -c 'steps in .* s (seed' job.log)" = 1 ]
    rm -f two.safetensors
done

# ---- arrays: lectures/homework/GUIDE.md --------------------------------------------------------------------

# array JOBS COMMAND: as many jobs of one array, each with its number.
array() { timeout 300 sbatch --wait --overcommit --output=array.log --array="1-$1" --wrap "$2"; }

if [ -n "$gpt" ]; then
    seeds() {
        array 2 "$gpt --steps 2 --decode greedy --length 8 --quiet --threads 1 --seed \$SLURM_ARRAY_TASK_ID --out seed-\$SLURM_ARRAY_TASK_ID"
    }
    attempt 'an array of seeds: runs of an example' seeds
    attempt 'each seed has its own losses' sh -c 'test -s seed-1/metrics.tsv && ! cmp -s seed-1/metrics.tsv seed-2/metrics.tsv'
fi

mkdir in
"$grader" "$source/lectures/homework" "$cache" handout hw0 solved --solution >said
for number in 1 2 3 4; do { cat solved/hw0.c && echo "/* student $number */"; } >"in/student-$number.c"; done
grade() { "$grader" "$source/lectures/homework" "$cache" grade hw0 --all "$work/in" "$@"; }
shards() {
    array 3 "'$grader' '$source/lectures/homework' '$cache' grade hw0 --all '$work/in' --out '$work/merged' --shard \$SLURM_ARRAY_TASK_ID/3"
}
attempt 'an array of shards' shards
attempt 'the shards are merged' grade --merge merged
attempt 'each submission is graded once' [ "$(grep -c '^student-' merged/grades.csv)" = 4 ]
done_testing
