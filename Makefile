# What `sam build` calls, one target a layer or function: puts it into ARTIFACTS_DIR, with its bytecode.
# Everything runs from this folder. Lambda's own Python, 3.13, must be first on PATH; ARCHITECTURE is arm64 or x86_64.

PYTHON ?= python3.13
ARCHITECTURE ?= arm64
MACHINE = $(if $(filter arm64,$(ARCHITECTURE)),aarch64,$(ARCHITECTURE))
PACKAGES = $(ARTIFACTS_DIR)/python
PAGE ?= web/dist
RDS_CA = layers/dependencies/rds-ca.pem

# AWS services whose description botocore needs at run time. The other four hundred are left out.
SERVICES = secretsmanager

# Bytecode that is never compared with its source: Lambda unpacks files with dates of its own.
COMPILE = $(PYTHON) -m compileall -q -j 0 --invalidation-mode unchecked-hash
COPY = tar --create --exclude=__pycache__ --exclude='*.pyc' --exclude=.DS_Store

.PHONY: build-% rds-ca

build-DependenciesLayer:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --target "$(PACKAGES)" \
		--only-binary=:all: --implementation cp --python-version 3.13 \
		--platform manylinux_2_28_$(MACHINE) --platform manylinux_2_17_$(MACHINE) --platform manylinux2014_$(MACHINE) \
		--requirement layers/dependencies/requirements.txt
	rm -rf "$(PACKAGES)/bin"
	find "$(PACKAGES)" -type d \( -name tests -o -name test \) -prune -exec rm -rf {} +
	find "$(PACKAGES)" -type f \( -name '*.pyi' -o -name '*.c' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h' \) -delete
	find "$(PACKAGES)/botocore/data" -mindepth 1 -maxdepth 1 -type d $(foreach s,$(SERVICES),! -name $(s)) -exec rm -rf {} +
	$(COMPILE) -s "$(PACKAGES)" -p /opt/python "$(PACKAGES)"
	@if [ -f "$(RDS_CA)" ]; then cp "$(RDS_CA)" "$(ARTIFACTS_DIR)/rds-ca.pem"; \
	else echo "warning: $(RDS_CA) is missing, so this build cannot reach RDS: run \`make rds-ca\` before a deploy" >&2; fi

build-LanekeeperLayer:
	mkdir -p "$(PACKAGES)"
	$(COPY) --directory layers/lanekeeper lanekeeper | tar --extract --directory "$(PACKAGES)"
	cp layers/lanekeeper/stream-wrapper "$(ARTIFACTS_DIR)/"
	$(COMPILE) -s "$(PACKAGES)" -p /opt/python "$(PACKAGES)"

build-AgentsLayer:
	mkdir -p "$(PACKAGES)"
	$(COPY) --directory layers/agents agents toolsets | tar --extract --directory "$(PACKAGES)"
	$(COMPILE) -s "$(PACKAGES)" -p /opt/python "$(PACKAGES)"

build-AcceptFunction: function-accept
	@test -f "$(PAGE)/index.html" || { echo "$(PAGE) is missing: run \`npm --prefix web ci && npm --prefix web run build\`" >&2; exit 1; }
	mkdir -p "$(ARTIFACTS_DIR)/page"
	cp -R "$(PAGE)/." "$(ARTIFACTS_DIR)/page"

build-StreamFunction: function-stream

build-WorkerFunction: function-worker

build-MaintenanceFunction: function-maintenance

build-MigrateFunction: function-migrate
	mkdir -p "$(ARTIFACTS_DIR)/migrations"
	cp migrations/[0-9]*.sql "$(ARTIFACTS_DIR)/migrations"

function-%:
	mkdir -p "$(ARTIFACTS_DIR)"
	$(COPY) --directory functions/$* . | tar --extract --directory "$(ARTIFACTS_DIR)"
	$(COMPILE) -s "$(ARTIFACTS_DIR)" -p /var/task "$(ARTIFACTS_DIR)"

# The certificates that RDS signs with. They are no part of any package: fetched once from AWS, then kept with the source.
rds-ca:
	curl --fail --silent --show-error --proto '=https' --output "$(RDS_CA)" \
		https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem
	$(PYTHON) -c "import ssl; n = len(ssl.create_default_context(cafile='$(RDS_CA)').get_ca_certs()); assert n; print(n, 'certificates')"
