// `npm run release-notes -- FOLDER` writes what a release carries beside its packages: release-notes.md, which is what CHANGELOG.md says of
// the version and how to check what was downloaded, and the software bill of materials.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baseImage, readText } from './shipped.mjs'

const [, , folder] = process.argv
if (folder === undefined) fail('release-notes.mjs FOLDER')
const { version } = JSON.parse(readText('package.json'))
const section = readText('CHANGELOG.md')
  .split(/^## /m)
  .find((text) => text.startsWith(`${version} `))
if (section === undefined) fail(`CHANGELOG.md has no heading for ${version}: run npm version first.`)
const image = baseImage()
if (image.digest === undefined)
  fail('The Dockerfile names its base image without a digest. Run: npm run base-image -- pin')

mkdirSync(folder, { recursive: true })
const bill = `greenroom-${version}.cdx.json`
execFileSync(process.execPath, [fileURLToPath(new URL('sbom.mjs', import.meta.url)), join(folder, bill)])
const sha256 = createHash('sha256')
  .update(readFileSync(join(folder, bill)))
  .digest('hex')

writeFileSync(
  join(folder, 'release-notes.md'),
  `# Greenroom ${version}

${section.slice(section.indexOf('\n') + 1).trim()}

## How to check what you downloaded

- \`greenroom@${version}\` and \`greenroom-client@${version}\` are published with provenance: a signed statement of the commit and the build
  that made them. \`npm audit signatures\`, in a project that has installed them, checks the statement and the registry's signature; it must
  count both packages as having a verified attestation.
- \`${bill}\` is the software bill of materials, CycloneDX 1.6: every package that runs on the server or is bundled into the pages,
  with its version, licence and hash. Its SHA-256 is \`${sha256}\`.
- The Dockerfile begins from \`${image.repository}:${image.tag}@${image.digest}\`.
`,
)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
