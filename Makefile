# bigshuf. GNU make; `make help` lists the targets.
#
# CC, CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS are the user's, as are PREFIX (or prefix) and DESTDIR. Also to be set on the command line:
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

VERSION = 1.0.0
prefix  = /usr/local
PREFIX  = $(prefix)
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
NEEDED_CPPFLAGS = -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
    $(if $(HOSTILE)$(SANITIZE),-DBIGSHUF_CHECKED) -DBIGSHUF_VERSION=\"$(VERSION)\" -Iinclude
NEEDED_CFLAGS   = -std=c11 -pthread -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(if $(WERROR),-Werror) \
    -fdebug-prefix-map='$(CURDIR)'=.
SANITIZE_FLAGS  = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOSTILE_FLAGS   = $(if $(HOSTILE),-include tests/support/hostile.h)
COMPILE         = $(CC) $(HOSTILE_FLAGS) $(NEEDED_CPPFLAGS) $(CPPFLAGS) $(NEEDED_CFLAGS) $(CFLAGS) $(SANITIZE_FLAGS)
LINK            = $(CC) -pthread $(CFLAGS) $(SANITIZE_FLAGS) $(LDFLAGS)

# A line for each command: $(call say,WORD,FILE). Nothing with -s.
say = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $1 $2' && ))

MANUALS    = $(sort $(wildcard man/*.[1-9]))
OBJECTS    = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard src/*.c src/*/*.c)))
MAIN       = $(BUILD)/src/main.o
LIBRARY    = $(BUILD)/libbigshuf.a
PROGRAM    = $(BUILD)/bigshuf
HOSTILES   = $(if $(HOSTILE),$(patsubst %,$(BUILD)/tests/support/%.o,hostile moments))

# What `make` builds: in the usual folder, ./bigshuf as well.
CHECKED = $(if $(filter build/plain,$(BUILD)),bigshuf,$(PROGRAM))

.PHONY: all install install-strip installcheck uninstall completions dist dist-static deb notes release clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

# ---- Building ----

all: $(CHECKED) ## build the program: ./bigshuf (the default)

include tests/tests.mk

bigshuf: $(PROGRAM)
	$(call say,CP,$@)cp -f $(PROGRAM) $@

# Everything but main, which the tests link. An object that a test brings itself, such as its own system layer, comes
# first, so that the library's is not taken.
$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS)) $(HOSTILES)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(PROGRAM): $(MAIN) $(if $(HOSTILE),$(FAULTY_SYS)) $(LIBRARY)
	$(call say,LD,$@)$(LINK) -o $@ $^ $(LDLIBS)

# They are kept in the tree, since a program for another machine cannot print its help here.
completions: $(PROGRAM) ## write the shells' completions anew, from --help
	for shell in bash zsh fish; do \
	    $(PROGRAM) --help | awk -v shell=$$shell -f .packaging/completions.awk >.packaging/completions/$$shell; \
	done

# The program runs where little stack is allowed (ulimit -s 64); what is larger is allocated.
$(OBJECTS): FRAME_FLAGS = $(if $(SANITIZE)$(HOSTILE),,-Wframe-larger-than=16384 -Wvla)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) $(FRAME_FLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# Keep a text in the target, which changes when the text does: $(call keep,TEXT)
define keep
@mkdir -p $(@D)
@text='$(subst ','\'',$1)'; printf '%s\n' "$$text" | cmp -s - $@ || printf '%s\n' "$$text" >$@
endef

# When the compiler or a flag changes, everything is compiled again.
$(BUILD)/flags: FORCE
	$(call keep,$(COMPILE) / $(LINK))

-include $(wildcard $(addprefix $(BUILD)/,$(addsuffix *.d,src/ src/*/ tests/*/ tests/unit/*/)))

# ---- Distributing ----

# Where manual pages go: man1/bigshuf.1
PAGES = $(foreach page,$(notdir $(MANUALS)),man$(subst .,,$(suffix $(page)))/$(page))

# It neither compiles nor runs anything, so that root may install what a user has built, with whatever flags.
install: ## install program, man pages, completions: PREFIX DESTDIR
	@test -x $(PROGRAM) || { echo '$(PROGRAM): not built yet: run make first' >&2 && exit 1; }
	install -d '$(DESTDIR)$(BINDIR)' $(foreach folder,$(sort $(dir $(PAGES))),'$(DESTDIR)$(MANDIR)/$(folder)') \
	    '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(BINDIR)/bigshuf'
	for page in $(PAGES); do \
	    install -m 644 "man/$${page#*/}" '$(DESTDIR)$(MANDIR)'/"$$page" || exit; \
	done
	install -m 644 .packaging/completions/bash '$(DESTDIR)$(BASHDIR)/bigshuf'
	install -m 644 .packaging/completions/zsh '$(DESTDIR)$(ZSHDIR)/_bigshuf'
	install -m 644 .packaging/completions/fish '$(DESTDIR)$(FISHDIR)/bigshuf.fish'

# Those who build packages have STRIP in the environment.
install-strip: install ## the same, without what only debuggers need
	$(or $(STRIP),strip) '$(DESTDIR)$(BINDIR)/bigshuf'

installcheck: ## try what is installed: ten golden orders, two seconds
	@sh .packaging/installcheck.sh '$(DESTDIR)$(BINDIR)/bigshuf'

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(BINDIR)/bigshuf' $(foreach page,$(PAGES),'$(DESTDIR)$(MANDIR)/$(page)') \
	    '$(DESTDIR)$(BASHDIR)/bigshuf' '$(DESTDIR)$(ZSHDIR)/_bigshuf' '$(DESTDIR)$(FISHDIR)/bigshuf.fish'

NAME    = bigshuf-$(VERSION)
TARBALL = $(DIST)/$(NAME).tar.gz
SYSTEM  = $(shell uname -sm | tr 'A-Z ' 'a-z-')
STATIC  = $(DIST)/$(NAME)-$(SYSTEM)
MUSL_CC = musl-gcc

# The same commit gives the same bytes, whatever the user's settings of git.
dist: ## make a tarball of the last commit in build/dist
	@mkdir -p $(DIST)
	$(call say,TAR,$(TARBALL))git -c tar.umask=0022 archive --prefix=$(NAME)/ HEAD >$(TARBALL:.gz=) && \
	    gzip -9nf $(TARBALL:.gz=) || { rm -f $(TARBALL:.gz=); false; }

# What a program should have that people get without its source. musl-gcc makes no program that is static and can be
# moved (static-pie).
HARDENED = -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now

# MUSL_CC may be a compiler for another SYSTEM, with or without musl; then RUNNER, such as qemu-aarch64, runs the program.
dist-static: ## make a static program there (needs musl-tools)
	@command -v $(MUSL_CC) >/dev/null || { echo '$(MUSL_CC) is missing; Debian has musl-gcc in musl-tools' >&2 && exit 1; }
	@$(MAKE) --no-print-directory BUILD=build/static-$(SYSTEM) CC='$(MUSL_CC)' CFLAGS='$(CFLAGS) $(HARDENED)' \
	    LDFLAGS='$(LDFLAGS) -static -s' all
	@mkdir -p $(DIST)
	$(call say,CP,$(STATIC))install -m 755 build/static-$(SYSTEM)/bigshuf $(STATIC)
	@test "$$($(RUNNER) $(STATIC) --seed=42 -i 1-10 | paste -s -d ' ' -)" = '10 5 9 3 2 4 8 7 6 1'

# Debian's tools want their files in a folder debian beside the sources, the tarball above, and write there.
deb: dist ## make a Debian package there (needs debhelper)
	@command -v dh >/dev/null || { echo 'dh is missing; Debian has it in debhelper' >&2 && exit 1; }
	rm -rf $(DIST)/deb
	mkdir $(DIST)/deb
	cp $(TARBALL) $(DIST)/deb/bigshuf_$(VERSION).orig.tar.gz
	tar -xzf $(TARBALL) -C $(DIST)/deb
	cp -R $(DIST)/deb/$(NAME)/.packaging/debian $(DIST)/deb/$(NAME)/debian
	cd $(DIST)/deb/$(NAME) && env -u MAKEFLAGS dpkg-buildpackage -us -uc
	cp $(DIST)/deb/bigshuf_*.deb $(DIST)

notes: ## print what is new in this version
	@awk '/^## / { new = $$2 == "$(VERSION)" } new { print } new { some = 1 } END { exit !some }' .github/CHANGELOG.md

# Each is tried as it is made: the programs are run, the package is built from the tarball and tests itself.
release: ## make all that a release has there, with SHA-256 sums
	rm -rf $(DIST)
	@$(MAKE) --no-print-directory SYSTEM=linux-x86_64 dist-static
	@$(MAKE) --no-print-directory SYSTEM=linux-arm64 MUSL_CC=aarch64-linux-gnu-gcc RUNNER=qemu-aarch64 dist-static
	@$(MAKE) --no-print-directory deb
	@$(MAKE) --no-print-directory -s notes >build/notes.md
	cd $(DIST) && rm -rf deb && sha256sum * >SHA256SUMS && cat SHA256SUMS

clean: ## remove everything that was built
	rm -rf build bigshuf

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile tests/tests.mk | while IFS='|' read -r target text; do \
	    printf '  %-18s%s\n' $$target "$$text"; done
