// `npm run release-notes -- FOLDER` assembles a release: the packages as npm packs them, unless the folder has them
// already, the software bill of materials, SHA256SUMS over these, and release-notes.md, with the version's part of
// CHANGELOG.md and how to verify downloads.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
const packages = [
  ['greenroom', '..'],
  ['greenroom-client', '../packages/client'],
  ['greenroom-sandbox', '../packages/sandbox'],
].map(([name, path]) => pack(`${name}-${version}.tgz`, new URL(path, import.meta.url)))
const sums = [...packages, bill]
  .map((name) => {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    return `${sha256}  ${name}\n`
  })
  .join('')
writeFileSync(join(folder, 'SHA256SUMS'), sums)

writeFileSync(
  join(folder, 'release-notes.md'),
  `# Greenroom ${version}

${section.slice(section.indexOf('\n') + 1).trim()}

## How to check what you downloaded

- \`greenroom@${version}\`, \`greenroom-client@${version}\` and \`greenroom-sandbox@${version}\` are published with provenance: a signed
  statement of the commit and the build that made them. \`npm audit signatures\`, in a project that has installed them, checks the statement
  and the registry's signature; it must count each of them as having a verified attestation.
- \`${packages.join('`, `')}\` are the packages as they were published. \`npm pack greenroom@${version}\` downloads the same bytes.
- \`${bill}\` is the software bill of materials, CycloneDX 1.6: every package that runs on the server or is bundled into the pages,
  with its version, licence and hash.
- \`sha256sum --check SHA256SUMS\`, beside these files, compares them with these checksums:

  \`\`\`
${sums.replaceAll(/^(?=.)/gm, '  ')}  \`\`\`

- The Dockerfile begins from \`${image.repository}:${image.tag}@${image.digest}\`.
`,
)

/** Puts the package into the folder and returns its file name. */
function pack(name, root) {
  if (existsSync(join(folder, name))) return name
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(folder)], options)
  return name
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
