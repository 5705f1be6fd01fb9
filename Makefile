# bigshuf. GNU make; `make help` lists the targets.
#
# CC, CFLAGS, CPPFLAGS and LDFLAGS are the user's, as are PREFIX and DESTDIR. Also to be set on the command line:
#
#   SANITIZE=address,undefined   build (and check) with these sanitizers
#   VALGRIND=1                   run the tests under valgrind
#   WERROR=1                     a warning is an error
#   TEST_SCALE=tiny|small|full   how large the tests' inputs are
#   ONLY=PATTERN                 run only the tests whose names match
#   EXCEPT=PATTERN               not those that match
#   BUILD=DIR                    build there
#
# Each kind of build has a folder of its own under build/, so that one with a sanitizer stands beside the plain one.

VERSION = 0.1.0
PREFIX  = /usr/local
BINDIR  = $(PREFIX)/bin
MANDIR  = $(PREFIX)/share/man
CFLAGS ?= -O2 -g

comma  := ,
BUILD   = build/$(if $(SANITIZE),$(subst $(comma),-,$(SANITIZE)),plain)

# What the program needs whatever the user's flags are. Nothing here asks for a particular processor: faster
# instructions are chosen at run time.
NEEDED_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DBIGSHUF_VERSION=\"$(VERSION)\" -Iinclude
TEST_CPPFLAGS   = -I. -Itests -D_GNU_SOURCE
NEEDED_CFLAGS   = -std=c11 -pthread -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(if $(WERROR),-Werror)
SANITIZE_FLAGS  = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
COMPILE         = $(CC) $(NEEDED_CPPFLAGS) $(CPPFLAGS) $(NEEDED_CFLAGS) $(CFLAGS) $(SANITIZE_FLAGS)
LINK            = $(CC) -pthread $(CFLAGS) $(SANITIZE_FLAGS) $(LDFLAGS)

# Asked for only when a unit test is built, by when `make deps check` has installed it.
CMOCKA_CFLAGS = $(shell pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS   = $(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)

C_FILES    = $(wildcard src/*.c src/*/*.c include/*/*.h tests/*/*.[ch] tests/unit/*/*.c)
SCRIPTS    = .ci/run $(wildcard tests/*.sh tests/*/*.sh tests/recipes/*.sbatch)
OBJECTS    = $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/*.c src/*/*.c))
MAIN       = $(BUILD)/src/main.o
LIBRARY    = $(BUILD)/libbigshuf.a
PROGRAM    = $(BUILD)/bigshuf
FAULTY     = $(BUILD)/bigshuf-faulty
FAULTY_SYS = $(addprefix $(BUILD)/tests/support/,faulty_sys.o real_sys.o)
TEST_TOOLS = $(addprefix $(BUILD)/tests/support/,forge model peak same_lines)
UNIT_TESTS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/*_test.c))
BENCHES    = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
FUZZERS    = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/*.c))

.PHONY: all check check-long check-valgrind check-install soak fuzz fuzzers bench bench-micro deps install uninstall \
    dist format lint clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

# ---- Building ----

all: $(if $(SANITIZE),$(PROGRAM),bigshuf) ## build the program: ./bigshuf (the default)

bigshuf: $(PROGRAM)
	cp -f $(PROGRAM) $@

# Everything but main, which the tests link. An object that a test brings itself, such as its own system layer, comes
# first, so that the library's is not taken.
$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS))
	rm -f $@
	$(AR) rcs $@ $^

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(LINK) -o $@ $^

# The program with a system layer that fails on demand, before the true one under other names.
$(FAULTY): $(MAIN) $(BUILD)/tests/support/faulty_environment.o $(FAULTY_SYS) $(LIBRARY)
	$(LINK) -o $@ $^

$(BUILD)/tests/support/real_sys.o: src/system/sys.c include/system/sys.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $$(sed -n 's/^[a-z].*[ *]\(sys_[a-z_]*\)(.*/-D\1=real_\1/p' include/system/sys.h) -c -o $@ $<

$(TEST_TOOLS): %: %.o
	$(LINK) -o $@ $^

$(BUILD)/tests/support/forge: $(LIBRARY)

$(BENCHES): %: %.o $(LIBRARY)
	$(LINK) -o $@ $^ -lm

$(FUZZERS): %: %.o $(LIBRARY)
	$(LINK) -fsanitize=fuzzer -o $@ $^

$(UNIT_TESTS): %: %.o $(FAULTY_SYS) $(LIBRARY)
	$(LINK) -o $@ $^ $(CMOCKA_LIBS)

# Not optimised, since that would take several times as long as they run.
$(UNIT_TESTS:=.o): EXTRA_CFLAGS = $(TEST_CPPFLAGS) $(CMOCKA_CFLAGS) -O0 -U_FORTIFY_SOURCE
$(UNIT_TESTS:=.o): | $(filter deps,$(MAKECMDGOALS))

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# Changes when the compiler or a flag does, and everything is compiled again.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@flags='$(subst ','\'',$(COMPILE) / $(LINK))'; \
	    printf '%s\n' "$$flags" | cmp -s - $@ || printf '%s\n' "$$flags" >$@

-include $(wildcard $(addprefix $(BUILD)/,$(addsuffix *.d,src/ src/*/ tests/*/ tests/unit/*/)))

# ---- Testing ----

# Instruments slow the program down ten to fifty times.
TEST_SCALE ?= $(if $(VALGRIND)$(SANITIZE),tiny,small)

SELECTED = $(if $(ONLY),$(shell printf '%s\n' $(UNIT_TESTS) | grep -E -e '$(ONLY)'),$(UNIT_TESTS))

check: all $(SELECTED) $(FAULTY) $(TEST_TOOLS) ## run all tests
	@BUILD='$(BUILD)' TEST_SCALE='$(TEST_SCALE)' VALGRIND='$(VALGRIND)' SANITIZE='$(SANITIZE)' ONLY='$(ONLY)' \
	    EXCEPT='$(EXCEPT)' bash tests/support/run.sh \
	    $(sort $(wildcard tests/end_to_end/*.sh)) tests/layers.sh $(SELECTED)

check-long: TEST_SCALE = full
check-long: check ## run all tests on large inputs (needs some GB of disk)

check-valgrind: VALGRIND = 1
check-valgrind: check ## run all tests under valgrind

SECONDS = 60

# SEED, CASE, JOBS, MOST, BIGSHUF and BIGSHUF_FAULTY reach it through the environment, from here or from the command line.
soak: all $(FAULTY) $(TEST_TOOLS) ## try random cases against a model: SECONDS=N [SEED=S] [JOBS=N], or CASE=S again
	@BUILD='$(BUILD)' SECONDS='$(SECONDS)' python3 tests/soak/soak.py

check-install: all ## install to a temporary place, uninstall, see that nothing is left
	rm -rf $(BUILD)/installed
	$(MAKE) install DESTDIR='$(abspath $(BUILD)/installed)'
	'$(BUILD)/installed$(BINDIR)/bigshuf' --version
	test -s '$(BUILD)/installed$(MANDIR)/man1/bigshuf.1'
	$(MAKE) uninstall DESTDIR='$(abspath $(BUILD)/installed)'
	test -z "$$(find $(BUILD)/installed ! -type d)"

# Only clang has libFuzzer.
fuzz: ## search for inputs that break promises: each fuzzer SECONDS=10; ONE=NAME: only that; INPUT=FILE: show a failure
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzzers
	@BUILD=build/fuzz ONE='$(ONE)' INPUT='$(INPUT)' bash tests/fuzz/run.sh '$(or $(SECONDS),10)'

fuzzers: $(FUZZERS)

deps: ## install what the tests and the lint need, with the system's package manager
	@CC='$(CC)' sh tests/support/deps.sh

# ---- Speed ----

bench: $(PROGRAM) $(BENCHES) $(TEST_TOOLS) ## measure against other programs; see tests/bench/bench.sh (QUICK=1)
	@BUILD='$(BUILD)' bash tests/bench/bench.sh

bench-micro: $(BUILD)/tests/bench/micro ## measure the parts: scan, random words, checksum, scatter, leaf, copy
	$(BUILD)/tests/bench/micro

# ---- Style ----

format: ## format the C files
	clang-format -i $(C_FILES)

# A tool that is missing is named and passed over. clang-analyzer would take ten times as long for the tests as all the
# other checks; what it looks for there, the sanitizers find as they run. In src/ it follows the first 50000 states of
# each function, which takes a third of the time of its usual 225000.
ANALYZER_FLAGS = $(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=50000)

lint: ## check format, clang-tidy, cppcheck, the man page and the scripts
	@set -e; \
	has() { command -v "$$1" >/dev/null || { echo "lint: no $$1 here: skipped" >&2; return 1; }; }; \
	if has clang-format; then \
	    clang-format --dry-run -Werror $(C_FILES); \
	fi; \
	if has clang-tidy; then \
	    tidy() { xargs -n 1 -P "$$(getconf _NPROCESSORS_ONLN)" sh -c \
	        'clang-tidy --quiet '"$$1"' "$$1" -- -std=c11 $(NEEDED_CPPFLAGS) $(TEST_CPPFLAGS) 2>/dev/null' tidy; }; \
	    printf '%s\n' $(filter src/%.c,$(C_FILES)) | tidy '$(ANALYZER_FLAGS)'; \
	    printf '%s\n' $(filter tests/%.c,$(C_FILES)) | tidy '--checks=-clang-analyzer-*'; \
	fi; \
	if has cppcheck; then \
	    cppcheck -j "$$(getconf _NPROCESSORS_ONLN)" --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 --inline-suppr \
	        $(NEEDED_CPPFLAGS) $(filter %.c,$(C_FILES)); \
	fi; \
	if has mandoc; then \
	    mandoc -T lint -W warning man/bigshuf.1; \
	fi; \
	for script in $(SCRIPTS); do bash -n "$$script"; done; \
	if has shellcheck; then \
	    printf '%s\n' $(SCRIPTS) | xargs -n 8 -P "$$(getconf _NPROCESSORS_ONLN)" shellcheck --shell=bash; \
	fi; \
	echo "lint: clean"

# ---- Distributing ----

install: all ## install the program and its man page (PREFIX, DESTDIR)
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man1'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(BINDIR)/bigshuf'
	install -m 644 man/bigshuf.1 '$(DESTDIR)$(MANDIR)/man1/bigshuf.1'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/bigshuf' '$(DESTDIR)$(MANDIR)/man1/bigshuf.1'

dist: ## make bigshuf-VERSION.tar.gz of the last commit
	git archive --format=tar.gz --prefix=bigshuf-$(VERSION)/ HEAD >bigshuf-$(VERSION).tar.gz || \
	    { rm -f bigshuf-$(VERSION).tar.gz; exit 1; }

clean: ## remove everything that was built
	rm -rf build bigshuf bigshuf-$(VERSION).tar.gz

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r target text; do \
	    printf '  %-16s%s\n' $$target "$$text"; done
