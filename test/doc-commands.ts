import { readdirSync } from 'node:fs'
import { codeBlocks, ROOT } from './recipes.js'

/** A block of shell commands on a page. */
export interface Block {
  page: string
  code: string
}

/** The pages whose blocks test/doc-commands.long.test.ts runs, in this order. */
const RUN = [
  'docs/install.md',
  'docs/day-to-day.md',
  'docs/command-line.md',
  'docs/intake.md',
  'docs/automation.md',
  'docs/access.md',
  'docs/monitoring.md',
  'docs/backup.md',
  'docs/incidents.md',
  'docs/postgresql.md',
]

/** The tests that run all blocks of other pages. */
export const RUN_ELSEWHERE: Record<string, string> = {
  'README.md': 'test/readme.long.test.ts',
  'docs/api.md': 'test/readme.long.test.ts',
  'docs/recipes/birthdays-this-month.md': 'test/recipes.long.test.ts',
  'docs/recipes/insights-to-sqlite.md': 'test/recipes.long.test.ts',
  'docs/recipes/rejected-posts-to-draft.md': 'test/recipes.long.test.ts',
  'docs/recipes/rudderstack-node.md': 'test/recipes.long.test.ts',
  'docs/recipes/segment-node.md': 'test/recipes.long.test.ts',
  'docs/recipes/signed-call.md': 'test/recipes.long.test.ts',
  'docs/signing-vectors.md': 'test/signing-vectors.test.ts',
  'packages/sandbox/README.md': 'packages/sandbox/src/main.long.test.ts',
}

const CLUSTER = 'Needs a cluster; test/kubernetes.long.test.ts checks what kubectl would apply.'

/** Blocks that no test runs unchanged, by the beginning of their code, each with the reason. */
export const NOT_RUN: Record<string, string> = {
  'npm ci && npm run build\nnpx greenroom --version': '.ci/smoke-demo installs and builds in a fresh clone.',
  'sha256sum --check': '.ci/smoke-package installs the tarballs.',
  'docker build': 'Needs Docker; .ci/smoke-image takes its steps in a chroot.',
  'docker compose': 'Needs Docker.',
  'kubectl apply': CLUSTER,
  'kubectl kustomize': CLUSTER,
  'kubectl delete job': CLUSTER,
  "printf 'postgres://greenroom_owner": CLUSTER,
  'npm install --global ./greenroom-0.1.0.tgz @opentelemetry': 'Installs from a registry and waits for a collector.',
  'jq -c': 'Reads files that retention writes after 30 days or more.',
  'BACKUP_DIR=s3://': 'Needs a bucket; test/s3-swift.long.test.ts and src/backup/storage/s3.test.ts use one.',
  'greenroom backup list s3://': 'Needs a bucket; the same tests.',
  'DATA_DIR=/var/lib/greenroom greenroom restore acme.backup': 'test/demo-carried.long.test.ts restores and moves.',
  'DATA_DIR=/var/lib/greenroom greenroom move': 'test/demo-carried.long.test.ts restores and moves.',
  'DATA_DIR=/var/lib/greenroom greenroom serve --again': 'src/backup/set-aside.long.test.ts takes a place back.',
  'mv /var/lib/greenroom/database': 'src/backup/places.long.test.ts restores what a start has backed up.',
  'mv .greenroom/database': 'src/doctor/damage.long.test.ts damages a database and restores it.',
  'export DATABASE_URL=': 'test/postgres-operators.long.test.ts migrates with another role.',
  'npm ci && (cd packages/client': '.ci/smoke-package packs and installs the client.',
  'export GREENROOM_URL=http://127.0.0.1:8080 GREENROOM_KEY': 'Only sets variables.',
  'PUBLIC_URL=https://greenroom.example.com\nOIDC_ISSUER': 'Settings, not commands.',
}

const isNotRun = (code: string): boolean => Object.keys(NOT_RUN).some((start) => code.startsWith(start))

const pages = (): string[] => [
  'README.md',
  ...['docs', 'packages'].flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules') && !path.startsWith('decisions/'))
      .map((path) => `${folder}/${path}`),
  ),
]

/** Lists the blocks of shell commands of all pages. */
export const shellBlocks = (): Block[] =>
  pages().flatMap((page) => ['sh', 'bash'].flatMap((tag) => codeBlocks(page, tag).map((code) => ({ page, code }))))

/** Lists the blocks that test/doc-commands.long.test.ts runs, in their order. */
export const blocksToRun = (): Block[] =>
  RUN.flatMap((page) => codeBlocks(page, 'sh').map((code) => ({ page, code })))
    .filter(({ code }) => !isNotRun(code))
    .toSorted((one, other) => endsAt(one) - endsAt(other))

const LAST = ['greenroom keys revoke', 'greenroom users invite', 'greenroom organizations rename']

/** Blocks that revoke and delete what others need come last, in this order; 0 for the others. */
const endsAt = ({ code }: Block): number => 1 + LAST.findIndex((start) => code.startsWith(start))
