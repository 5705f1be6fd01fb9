# What is built and run only for tests, lint and measurements. The Makefile includes it.

TEST_CPPFLAGS = -I. -Itests -D_GNU_SOURCE
FAULTY        = $(BUILD)/bigshuf-faulty
FAULTY_SYS    = $(addprefix $(BUILD)/tests/support/,faulty_sys.o real_sys.o)
C_TOOLS       = $(addprefix $(BUILD)/tests/support/,json_values peak same_lines)
PY_TOOLS      = $(addprefix $(BUILD)/tests/support/,batch forge lengths model terminal)
TEST_TOOLS    = $(C_TOOLS) $(PY_TOOLS)
FUZZERS       = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/*.c))
FUZZ_TESTS    = $(addsuffix _fuzz_test,$(filter-out %/inputs %/options,$(FUZZERS))) # those do without libFuzzer
UNIT_TESTS    = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/*_test.c)) $(FUZZ_TESTS)
BENCHES       = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
WORDS         = $(BUILD)/tests/statistics/words
MACHINES      = arm64 powerpc
C_FILES       = $(wildcard src/*.c src/*/*.c include/*/*.h tests/*/*.[ch] tests/unit/*/*.c)

# Asked for only when a unit test is built, by when `make deps check` has installed it.
CMOCKA_CFLAGS = $(shell pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS   = $(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)

.PHONY: check check-all check-long check-valgrind check-clusters check-dist check-statistics check-machines $(MACHINES:%=check-%) machine \
    check-moments moments soak faulty mutants fuzz fuzzers bench bench-peers bench-tables deps deps-all deps-machines deps-statistics format lint

# ---- Building ----

# The program with a system layer that fails on demand, before the true one under other names.
$(FAULTY): $(addprefix $(BUILD)/tests/support/,bigshuf_main.o sweep.o faulty_environment.o) $(FAULTY_SYS) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/support/bigshuf_main.o: src/main.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(COMPILE) -Dmain=bigshuf_main -MMD -MP -c -o $@ $<

# Flags that give the calls of the true layer these names: those of rows, and of functions in the layer of tests.
$(BUILD)/tests/support/real_names: include/system/sys_calls.def tests/support/faulty_sys.c
	@mkdir -p $(@D)
	$(call say,SED,$@)sed -nE -e 's/^(CALL|SAME|ANSWER|ADVICE)\(([^,(]*, )?([a-z_]+), .*/-Dsys_\3=real_sys_\3/p' \
	    -e 's/^WEAK .*[ *]sys_([a-z_]+)\(.*/-Dsys_\1=real_sys_\1/p' $^ >$@

$(BUILD)/tests/support/real_sys.o: src/system/sys.c $(BUILD)/tests/support/real_names $(BUILD)/flags
	$(call say,CC,$@)$(COMPILE) @$(BUILD)/tests/support/real_names $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# Blocks go to and from the pool by way of hostile.c.
$(if $(HOSTILE),$(BUILD)/src/system/pool.o): EXTRA_CFLAGS = $(foreach name,put put_promised get get_promised \
    get_neighbours,-Dpool_$(name)=real_pool_$(name))

# So do system calls that wait for other processes, to and from moments.c, which the sanitizers are not to see.
ifdef HOSTILE
$(BUILD)/tests/support/real_sys.o: EXTRA_CFLAGS = $(foreach name,read write open poll poll_all wait nap,-Dreal_sys_$(name)=true_sys_$(name))
$(BUILD)/tests/support/moments.o: HOSTILE_FLAGS = -D_GNU_SOURCE
$(BUILD)/tests/support/moments.o: SANITIZE_FLAGS =
endif

$(C_TOOLS) $(WORDS): %: %.o
	$(call say,LD,$@)$(LINK) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/support/json_values: $(LIBRARY)

$(BUILD)/tests/support/model: tests/model/command.py
$(BUILD)/tests/support/terminal: tests/support/terminal.py
$(filter-out %/model %/terminal,$(PY_TOOLS)): $(BUILD)/tests/support/%: tests/model/%.py
$(PY_TOOLS):
	@mkdir -p $(@D)
	$(call say,LN,$@)ln -sf '$(CURDIR)/$<' $@

$(BENCHES): %: %.o $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ -lm $(LDLIBS)

$(FUZZERS): %: %.o $(LIBRARY)
	$(call say,LD,$@)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(UNIT_TESTS): %: %.o $(FAULTY_SYS) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARY) $(CMOCKA_LIBS) $(LDLIBS)

$(FUZZ_TESTS): $(BUILD)/%_fuzz_test: $(BUILD)/%.o

$(FUZZ_TESTS:=.o): $(BUILD)/tests/fuzz/%_fuzz_test.o: tests/support/fuzz_test.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(COMPILE) $(EXTRA_CFLAGS) -DSEEDS='"$(CURDIR)/tests/fuzz/seeds/$*"' -MMD -MP -c -o $@ $<

# Not optimised, since that would take several times as long as they run.
$(UNIT_TESTS:=.o): EXTRA_CFLAGS = $(TEST_CPPFLAGS) $(CMOCKA_CFLAGS) -O0 -U_FORTIFY_SOURCE
$(UNIT_TESTS:=.o): $(BUILD)/cmocka-flags

$(BUILD)/cmocka-flags: FORCE | $(filter deps deps-all,$(MAKECMDGOALS))
	$(call keep,$(CMOCKA_CFLAGS) / $(CMOCKA_LIBS))

# ---- Testing ----

# Instruments slow the program down ten to fifty times.
TEST_SCALE ?= $(if $(VALGRIND)$(SANITIZE),tiny,small)

HAVE_TAG = $(shell grep -l '^/\* tags:.* $(TAG) ' tests/unit/*/*_test.c tests/fuzz/*.c)
TAGGED   = $(if $(TAG),$(filter $(patsubst %.c,$(BUILD)/%,$(HAVE_TAG)) $(patsubst %.c,$(BUILD)/%_fuzz_test,$(HAVE_TAG)),$(UNIT_TESTS)),$(UNIT_TESTS))
SELECTED = $(if $(ONLY),$(shell printf '%s\n' $(TAGGED) | grep -E -e '$(ONLY)'),$(TAGGED))

# The usual run starts fewer processes and threads than this on up to four processors, so that it stays short where a
# process takes 5 ms to start.
MOST_PROCESSES = $(if $(SLOW)$(ONLY)$(EXCEPT)$(TAG)$(MACHINE)$(filter-out small,$(TEST_SCALE)),,36000)

check: $(CHECKED) $(SELECTED) $(FAULTY) $(TEST_TOOLS) ## run the tests, but for the long ones
	@BUILD='$(BUILD)' TEST_SCALE='$(TEST_SCALE)' VALGRIND='$(VALGRIND)' SANITIZE='$(SANITIZE)' ONLY='$(ONLY)' \
	    EXCEPT='$(EXCEPT)' SLOW='$(SLOW)' MOST_PROCESSES='$(MOST_PROCESSES)' bash tests/support/run.sh \
	    $(sort $(wildcard tests/end_to_end/*.sh)) tests/layers.sh $(SELECTED)

check-all: SLOW = 1
check-all: check ## run all tests

check-long: TEST_SCALE = full
check-long: check-all ## run all tests on large inputs (some GB of disk)

check-valgrind: VALGRIND = 1
check-valgrind: check ## run all tests under valgrind

# SEED, CASE, JOBS, MOST, BIGSHUF and BIGSHUF_FAULTY reach it through the environment, from here or from the command line.
soak: SECONDS = 60
soak: all faulty $(TEST_TOOLS) ## random cases against a model: SECONDS=N SEED=S; CASE=S
	@$(MAKE) --no-print-directory HOSTILE=1 BUILD=build/hostile all faulty
	@BUILD='$(BUILD)' SECONDS='$(SECONDS)' python3 tests/soak/soak.py

faulty: $(FAULTY)

# Its build has a folder of its own. ROUNDS and SEED reach it through the environment.
moments: ## a seed decides which thread runs when: ROUNDS=N SEED=S
	@$(MAKE) --no-print-directory HOSTILE=1 check-moments

check-moments: all $(FAULTY) $(TEST_TOOLS)
	@BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' ONLY='$(ONLY)' bash tests/support/run.sh tests/moments.sh

# MOST=300 and ONLY=PATTERN, of FILE:LINE:, reach it through the environment, too.
mutants: ## do tests notice small changes? SECONDS=N SEED=S MOST=N
	@SECONDS='$(if $(filter command line,$(origin SECONDS)),$(SECONDS))' python3 tests/mutants/mutants.py

# SEED, SCALE and ONLY reach it through the environment.
check-statistics: all $(WORDS) ## is every order as likely? SECONDS=N or SCALE=ROUNDS
	@PATH='$(CURDIR)/$(BUILD):'"$$PATH" SECONDS='$(if $(filter command line,$(origin SECONDS)),$(SECONDS))' \
	    python3 tests/statistics/check.py '$(CURDIR)/$(WORDS)'

check-clusters: all $(TEST_TOOLS) ## test the recipes with daemons of Slurm
	@BUILD='$(BUILD)' TAG=slurm SLOW=1 ONLY='$(ONLY)' bash tests/support/run.sh tests/end_to_end/clusters.sh

check-dist: all ## test what install, dist, dist-static and deb make
	@BUILD='$(BUILD)' ONLY='$(ONLY)' bash tests/support/run.sh tests/dist.sh

# Programs for other machines, which qemu runs; they are static, so that they need nothing else of these.
FOR_arm64   = CC=aarch64-linux-gnu-gcc RUNNER=qemu-aarch64
FOR_powerpc = CC=powerpc-linux-gnu-gcc RUNNER=qemu-ppc LDLIBS=-latomic

check-machines: $(MACHINES:%=check-%) ## test programs for other processors

# All that stands on this command line reaches run.sh through the environment.
$(MACHINES:%=check-%): check-%: $(PROGRAM)
	@$(MAKE) --no-print-directory BUILD=build/$* MACHINE=$* $(FOR_$*) WERROR=1 LDFLAGS=-static \
	    CFLAGS='-O1 -Wno-psabi -Wcast-align=strict' CMOCKA_CFLAGS=-Itests/machines CMOCKA_LIBS= \
	    NATIVE='$(abspath $(PROGRAM))' TEST_SCALE=tiny machine

# What depends on the order of bytes, on the size of words or on the signs of characters.
ON_MACHINES = $(FUZZ_TESTS) $(filter $(addprefix $(BUILD)/tests/unit/,base/% record/field% record/length% record/scan% \
    record/t% sample/gnu% sample/range% sample/weight% store/% system/table%),$(UNIT_TESTS))

machine: $(PROGRAM) $(BUILD)/tests/support/batch $(ON_MACHINES)
	@ONLY='$(or $(ONLY),golden|/machines[.]sh|_test$$)' EXCEPT='golden_.*_of_(more|many|piles|a_million)' \
	    bash tests/support/run.sh tests/machines.sh \
	    $(addprefix tests/end_to_end/,gnu.sh groups.sh order.sh sampling.sh stores.sh) $(ON_MACHINES)

# Only clang has libFuzzer.
fuzz: SECONDS = 10
fuzz: ## search for inputs that break: SECONDS=N ONE=NAME INPUT=FILE
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzzers
	@BUILD=build/fuzz ONE='$(ONE)' INPUT='$(INPUT)' bash tests/fuzz/run.sh '$(SECONDS)'

fuzzers: $(FUZZERS)

deps: ## install what most tests need
	@CC='$(CC)' sh .ci/deps tests

deps-all: deps ## and what lint, fuzzers, clusters, products need
	@CC='$(CC)' sh .ci/deps all
	@CC='$(CC)' sh .ci/deps optional

deps-machines: ## install what check-machines needs (Debian)
	@sh .ci/deps machines

deps-statistics: ## install dieharder (Debian)
	apt-get install -q -y --no-install-recommends dieharder

bench: $(PROGRAM) $(FAULTY) $(BENCHES) $(TEST_TOOLS) ## measure against others: see tests/bench (QUICK=1)
	@BUILD='$(BUILD)' bash tests/bench/bench.sh

bench-peers: ## get the others, as tests/bench/peers.txt says; as root
	rm -rf build/peers
	mkdir -p build/peers
	cd build/peers && sed '/^#/d; s/^[^ ]* *[^ ]* *//' ../../tests/bench/peers.txt | sh -ex

bench-tables: ## make tables anew from tests/bench/results
	for page in README.md tests/bench/README.md; do \
	    awk -f tests/bench/table.awk $$page >$$page.new && mv $$page.new $$page || exit; \
	done

# ---- Style ----

format: ## format the C files
	clang-format -i $(C_FILES)

lint: ## check the form of C files, man pages and scripts
	@CPPFLAGS='$(NEEDED_CPPFLAGS) $(TEST_CPPFLAGS)' bash tests/lint.sh $(C_FILES)
