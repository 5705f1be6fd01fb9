# bigshuf. GNU make; `make help` lists the targets.
#
# CC, CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS are the user's, as are PREFIX and DESTDIR. Also to be set on the command line:
#
#   SANITIZE=address,undefined   build (and check) with these sanitizers
#   HOSTILE=1                    build what the soak tries as well: any sizes, and what is given back is overwritten
#   VALGRIND=1                   run the tests under valgrind
#   WERROR=1                     a warning is an error
#   TEST_SCALE=tiny|small|full   how large the tests' inputs are
#   ONLY=PATTERN                 run only the tests whose names match
#   EXCEPT=PATTERN               not those that match
#   BUILD=DIR                    build there
#   DIST=DIR                     put tarballs, packages and the like there
#   V=1                          show whole commands, not a line for each file
#
# Each kind of build has a folder of its own under build/, so that one with a sanitizer stands beside the plain one.

VERSION = 0.2.0
PREFIX  = /usr/local
BINDIR  = $(PREFIX)/bin
MANDIR  = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
CFLAGS ?= -O2 -g

comma  := ,
BUILD   = build/$(subst $(comma),-,$(or $(HOSTILE:%=hostile$(SANITIZE:%=-%)),$(SANITIZE),plain))
DIST    = build/dist

# What the program needs whatever the user's flags are. Nothing here asks for a particular processor: faster
# instructions are chosen at run time; and nothing of the program depends on the folder in which it was built.
NEEDED_CPPFLAGS = -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -DBIGSHUF_VERSION=\"$(VERSION)\" -Iinclude
TEST_CPPFLAGS   = -I. -Itests -D_GNU_SOURCE
NEEDED_CFLAGS   = -std=c11 -pthread -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(if $(WERROR),-Werror) \
    -fdebug-prefix-map='$(CURDIR)'=.
SANITIZE_FLAGS  = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOSTILE_FLAGS   = $(if $(HOSTILE),-include tests/support/hostile.h)
COMPILE         = $(CC) $(HOSTILE_FLAGS) $(NEEDED_CPPFLAGS) $(CPPFLAGS) $(NEEDED_CFLAGS) $(CFLAGS) $(SANITIZE_FLAGS)
LINK            = $(CC) -pthread $(CFLAGS) $(SANITIZE_FLAGS) $(LDFLAGS)

# Asked for only when a unit test is built, by when `make deps check` has installed it.
CMOCKA_CFLAGS = $(shell pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS   = $(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)

# A line for each command: $(call say,WORD,FILE). Nothing with -s.
say = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $1 $2' && ))

C_FILES    = $(wildcard src/*.c src/*/*.c include/*/*.h tests/*/*.[ch] tests/unit/*/*.c)
SCRIPTS    = .ci/run $(wildcard tests/*.sh tests/*/*.sh tests/recipes/*.sbatch)
MANUALS    = $(sort $(wildcard man/*.[1-9]))
OBJECTS    = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard src/*.c src/*/*.c)))
MAIN       = $(BUILD)/src/main.o
LIBRARY    = $(BUILD)/libbigshuf.a
PROGRAM    = $(BUILD)/bigshuf
COMPLETION = $(addprefix $(BUILD)/completions/,bash zsh fish)
HOSTILES   = $(if $(HOSTILE),$(patsubst %,$(BUILD)/tests/support/%.o,hostile moments))
FAULTY     = $(BUILD)/bigshuf-faulty
FAULTY_SYS = $(addprefix $(BUILD)/tests/support/,faulty_sys.o real_sys.o)
C_TOOLS    = $(addprefix $(BUILD)/tests/support/,forge json_values lengths peak same_lines terminal)
TEST_TOOLS = $(C_TOOLS) $(BUILD)/tests/support/model
UNIT_TESTS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/*_test.c))
BENCHES    = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
WORDS      = $(BUILD)/tests/statistics/words
FUZZERS    = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/*.c))
MACHINES   = arm64 powerpc

.PHONY: all check check-long check-valgrind check-dist check-statistics check-machines $(MACHINES:%=check-%) machine \
    check-moments moments soak faulty mutants fuzz fuzzers bench deps deps-machines deps-statistics install \
    install-strip uninstall dist dist-static deb format lint clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

# ---- Building ----

all: $(if $(HOSTILE)$(SANITIZE),$(PROGRAM),bigshuf) ## build the program: ./bigshuf (the default)

bigshuf: $(PROGRAM)
	$(call say,CP,$@)cp -f $(PROGRAM) $@

# Everything but main, which the tests link. An object that a test brings itself, such as its own system layer, comes
# first, so that the library's is not taken.
$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS)) $(HOSTILES)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(PROGRAM): $(MAIN) $(if $(HOSTILE),$(FAULTY_SYS)) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ $(LDLIBS)

# The completions are made from the program's --help.
$(BUILD)/help: $(PROGRAM)
	$(call say,HELP,$@)$(PROGRAM) --help >$@

$(COMPLETION): $(BUILD)/completions/%: src/command/completions.awk $(BUILD)/help
	@mkdir -p $(@D)
	$(call say,AWK,$@)awk -v shell=$* -f $^ >$@

# The program with a system layer that fails on demand, before the true one under other names.
$(FAULTY): $(MAIN) $(BUILD)/tests/support/faulty_environment.o $(FAULTY_SYS) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ $(LDLIBS)

# The names that the layer of tests has: those in rows, and those of functions.
$(BUILD)/tests/support/real_sys.o: src/system/sys.c tests/support/faulty_sys.c include/system/sys.h \
    include/system/sys_calls.def $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $$(sed -nE -e 's/^(CALL|SAME|ANSWER|ADVICE)\(([^,(]*, )?([a-z_]+), .*/-Dsys_\3=real_sys_\3/p' \
	    -e 's/^WEAK .*[ *]sys_([a-z_]+)\(.*/-Dsys_\1=real_sys_\1/p' include/system/sys_calls.def tests/support/faulty_sys.c) $(EXTRA_CFLAGS) -c -o $@ $<

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

$(addprefix $(BUILD)/tests/support/,forge json_values): $(LIBRARY)

$(BUILD)/tests/support/model: tests/support/model.py
	@mkdir -p $(@D)
	$(call say,LN,$@)ln -sf '$(CURDIR)/$<' $@

$(BENCHES): %: %.o $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ -lm $(LDLIBS)

$(FUZZERS): %: %.o $(LIBRARY)
	$(call say,LD,$@)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(UNIT_TESTS): %: %.o $(FAULTY_SYS) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ $(CMOCKA_LIBS) $(LDLIBS)

# Not optimised, since that would take several times as long as they run.
$(UNIT_TESTS:=.o): EXTRA_CFLAGS = $(TEST_CPPFLAGS) $(CMOCKA_CFLAGS) -O0 -U_FORTIFY_SOURCE
$(UNIT_TESTS:=.o): | $(filter deps,$(MAKECMDGOALS))

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

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

check: all $(SELECTED) $(FAULTY) $(TEST_TOOLS) $(COMPLETION) ## run all tests
	@BUILD='$(BUILD)' TEST_SCALE='$(TEST_SCALE)' VALGRIND='$(VALGRIND)' SANITIZE='$(SANITIZE)' ONLY='$(ONLY)' \
	    EXCEPT='$(EXCEPT)' bash tests/support/run.sh \
	    $(sort $(wildcard tests/end_to_end/*.sh)) tests/layers.sh $(SELECTED)

check-long: TEST_SCALE = full
check-long: check ## run all tests on large inputs (needs some GB of disk)

check-valgrind: VALGRIND = 1
check-valgrind: check ## run all tests under valgrind

SECONDS = 60

# SEED, CASE, JOBS, MOST, BIGSHUF and BIGSHUF_FAULTY reach it through the environment, from here or from the command line.
soak: all faulty $(TEST_TOOLS) ## try random cases against a model: SECONDS=N [SEED=S] [JOBS=N], or CASE=S again
	@$(MAKE) --no-print-directory HOSTILE=1 BUILD=build/hostile all faulty
	@BUILD='$(BUILD)' SECONDS='$(SECONDS)' python3 tests/soak/soak.py

faulty: $(FAULTY)

# Its build has a folder of its own. ROUNDS and SEED reach it through the environment.
moments: ## let a seed decide which thread runs when: [ROUNDS=N] [SEED=S]
	@$(MAKE) --no-print-directory HOSTILE=1 check-moments

check-moments: all $(FAULTY) $(TEST_TOOLS) $(filter %/queue_test,$(UNIT_TESTS))
	@BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' ONLY='$(ONLY)' bash tests/support/run.sh tests/moments.sh

# MOST=300 and ONLY=PATTERN, of FILE:LINE:, reach it through the environment, too.
mutants: ## how many small changes of the program do the tests notice? SECONDS=N SEED=S
	@SECONDS='$(if $(filter command line,$(origin SECONDS)),$(SECONDS))' python3 tests/mutants/mutants.py

# SEED, SCALE and ONLY reach it through the environment.
check-statistics: all $(WORDS) ## is every order as likely? SECONDS=3600, with dieharder; or SCALE=ROUNDS SEED=N
	@PATH='$(CURDIR)/$(BUILD):'"$$PATH" SECONDS='$(if $(filter command line,$(origin SECONDS)),$(SECONDS))' \
	    python3 tests/statistics/check.py '$(CURDIR)/$(WORDS)'

check-dist: all ## test installing, the tarball, the static binary and the Debian package
	@BUILD='$(BUILD)' ONLY='$(ONLY)' bash tests/support/run.sh tests/dist.sh

# Programs for other machines, which qemu runs; they are static, so that they need nothing else of these.
FOR_arm64   = CC=aarch64-linux-gnu-gcc RUNNER=qemu-aarch64
FOR_powerpc = CC=powerpc-linux-gnu-gcc RUNNER=qemu-ppc LDLIBS=-latomic

check-machines: $(MACHINES:%=check-%) ## test programs for other processors, and their stores

# All that stands on this command line reaches run.sh through the environment.
$(MACHINES:%=check-%): check-%: $(PROGRAM)
	@$(MAKE) --no-print-directory BUILD=build/$* MACHINE=$* $(FOR_$*) WERROR=1 LDFLAGS=-static \
	    CFLAGS='-O1 -Wno-psabi -Wcast-align=strict' CMOCKA_CFLAGS=-Itests/machines CMOCKA_LIBS= \
	    NATIVE='$(abspath $(PROGRAM))' TEST_SCALE=tiny machine

# What depends on the order of bytes, on the size of words or on the signs of characters.
ON_MACHINES = $(filter $(addprefix $(BUILD)/tests/unit/,base/% record/field% record/json% record/length% record/scan% \
    record/t% sample/gnu% sample/range% sample/weight% store/% system/sort% temporary/frames%),$(UNIT_TESTS))

machine: $(PROGRAM) $(ON_MACHINES)
	@ONLY='$(or $(ONLY),golden|/machines[.]sh|_test$$)' EXCEPT='golden_.*_of_(more|many|piles|a_million)' \
	    bash tests/support/run.sh tests/machines.sh \
	    $(addprefix tests/end_to_end/,gnu.sh order.sh sampling.sh stores.sh) $(ON_MACHINES)

# Only clang has libFuzzer.
fuzz: ## search for inputs that break promises: each fuzzer SECONDS=10; ONE=NAME: only that; INPUT=FILE: show a failure
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzzers
	@BUILD=build/fuzz ONE='$(ONE)' INPUT='$(INPUT)' bash tests/fuzz/run.sh '$(or $(SECONDS),10)'

fuzzers: $(FUZZERS)

deps: ## install what the tests and the lint need, with the system's package manager
	@CC='$(CC)' sh tests/support/deps.sh

deps-machines: ## install what check-machines needs: cross compilers and qemu (Debian)
	@sh tests/support/deps.sh machines

deps-statistics: ## install dieharder, which is a package of Debian
	apt-get install -q -y --no-install-recommends dieharder

# ---- Speed ----

bench: $(PROGRAM) $(FAULTY) $(BENCHES) $(TEST_TOOLS) ## measure against other programs; see tests/bench/bench.sh (QUICK=1)
	@BUILD='$(BUILD)' bash tests/bench/bench.sh

# ---- Style ----

format: ## format the C files
	clang-format -i $(C_FILES)

# A tool that is missing is named and passed over. clang-analyzer would take ten times as long for the tests as all the
# other checks; the sanitizers find the same errors when the tests run. In src/ it follows the first 10000 states of
# each function, which takes a tenth of the time of its usual 225000.
ANALYZER_FLAGS = $(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=10000)

lint: ## check format, clang-tidy, cppcheck, the man pages and the scripts
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
	    mandoc -T lint -W warning $(MANUALS); \
	fi; \
	for script in $(SCRIPTS); do bash -n "$$script"; done; \
	if has shellcheck; then \
	    printf '%s\n' $(SCRIPTS) | xargs -n 8 -P "$$(getconf _NPROCESSORS_ONLN)" shellcheck --shell=bash; \
	fi; \
	echo "lint: clean"

# ---- Distributing ----

# Where manual pages go: man1/bigshuf.1
PAGES = $(foreach page,$(notdir $(MANUALS)),man$(subst .,,$(suffix $(page)))/$(page))

install: all $(COMPLETION) ## install the program, its man pages and completions (PREFIX, DESTDIR)
	install -d '$(DESTDIR)$(BINDIR)' $(foreach folder,$(sort $(dir $(PAGES))),'$(DESTDIR)$(MANDIR)/$(folder)') \
	    '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)'
	install -m 755 $(STRIP) $(PROGRAM) '$(DESTDIR)$(BINDIR)/bigshuf'
	for page in $(PAGES); do \
	    install -m 644 "man/$${page#*/}" '$(DESTDIR)$(MANDIR)'/"$$page" || exit; \
	done
	install -m 644 $(BUILD)/completions/bash '$(DESTDIR)$(BASHDIR)/bigshuf'
	install -m 644 $(BUILD)/completions/zsh '$(DESTDIR)$(ZSHDIR)/_bigshuf'
	install -m 644 $(BUILD)/completions/fish '$(DESTDIR)$(FISHDIR)/bigshuf.fish'

install-strip: STRIP = -s
install-strip: install ## the same, without what only debuggers need

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/bigshuf' $(foreach page,$(PAGES),'$(DESTDIR)$(MANDIR)/$(page)') \
	    '$(DESTDIR)$(BASHDIR)/bigshuf' '$(DESTDIR)$(ZSHDIR)/_bigshuf' '$(DESTDIR)$(FISHDIR)/bigshuf.fish'

NAME    = bigshuf-$(VERSION)
TARBALL = $(DIST)/$(NAME).tar.gz
STATIC  = $(DIST)/$(NAME)-$(shell uname -sm | tr 'A-Z ' 'a-z-')
MUSL_CC = musl-gcc

# The same commit gives the same bytes, whatever the user's settings of git.
dist: ## make build/dist/bigshuf-VERSION.tar.gz, the source of the last commit
	@mkdir -p $(DIST)
	$(call say,TAR,$(TARBALL))git -c tar.umask=0022 archive --prefix=$(NAME)/ HEAD >$(TARBALL:.gz=) && \
	    gzip -9nf $(TARBALL:.gz=)

dist-static: ## make build/dist/bigshuf-VERSION-SYSTEM, which runs anywhere: static, with musl (MUSL_CC=musl-gcc)
	@$(MAKE) --no-print-directory BUILD=build/static CC='$(MUSL_CC)' LDFLAGS='$(LDFLAGS) -static' build/static/bigshuf
	@mkdir -p $(DIST)
	$(call say,CP,$(STATIC))install -s -m 755 build/static/bigshuf $(STATIC)

# Debian's tools want their files in a folder debian beside the sources, the tarball above, and write there.
deb: dist ## make a Debian package of the last commit in build/dist
	rm -rf $(DIST)/deb
	mkdir $(DIST)/deb
	cp $(TARBALL) $(DIST)/deb/bigshuf_$(VERSION).orig.tar.gz
	tar -xzf $(TARBALL) -C $(DIST)/deb
	cp -R $(DIST)/deb/$(NAME)/.packaging/debian $(DIST)/deb/$(NAME)/debian
	cd $(DIST)/deb/$(NAME) && env -u MAKEFLAGS dpkg-buildpackage -us -uc
	cp $(DIST)/deb/bigshuf_*.deb $(DIST)

clean: ## remove everything that was built
	rm -rf build bigshuf

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r target text; do \
	    printf '  %-16s%s\n' $$target "$$text"; done
