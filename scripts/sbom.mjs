// `sbom.mjs [FILE]` writes the software bill of materials as CycloneDX 1.6 JSON, by default to standard output.
// The same tree gives the same document: it has no random number, and a time only if SOURCE_DATE_EPOCH is set.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { baseImage, lockedPackages, nameOf, readText, shippedPackages } from './shipped.mjs'

const packages = lockedPackages()
const shipped = await shippedPackages(packages)
const { name, version, description, license, dependencies: own } = JSON.parse(readText('package.json'))

/** npm knows licences, hashes and the graph of the lock file, but npm 11 still writes CycloneDX 1.5. */
function askNpm() {
  const command = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  // npm's warnings about unknown settings are not part of the document.
  const stdout = execFileSync('npm', command, { cwd, maxBuffer: 64 << 20, stdio: ['ignore', 'pipe', 'pipe'] })
  return JSON.parse(stdout)
}

const of = (path) => `${nameOf(path)}@${packages[path].version}`
/** Places are found by name and version, as npm names components; the server's use takes precedence over the pages'. */
const places = new Map()
for (const [path, place] of shipped) if (places.get(of(path)) !== 'server') places.set(of(path), place)

const all = askNpm()
const root = `${name}@${version}`
const components = [...new Map(all.components.map((component) => [component['bom-ref'], component])).values()]
  .filter((component) => places.has(component['bom-ref']))
  .map(({ properties: _own, externalReferences: _none, ...component }) => ({
    ...component,
    scope: component.scope === 'optional' ? 'optional' : 'required',
    properties: [{ name: 'greenroom:runs-in', value: places.get(component['bom-ref']) }],
  }))
  .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))

const image = baseImage()
const imageRef = `${image.repository}:${image.tag}`
const container = {
  'bom-ref': imageRef,
  type: 'container',
  name: image.repository,
  version: image.tag,
  description: 'The base of the image that the Dockerfile builds. Its packages are not listed here.',
  purl:
    image.digest === undefined
      ? `pkg:docker/${image.repository}@${image.tag}`
      : `pkg:docker/${image.repository}@${encodeURIComponent(image.digest)}?tag=${image.tag}`,
  ...(image.digest === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-256', content: image.digest.slice('sha256:'.length) }] }),
}

const kept = new Set([root, imageRef, ...components.map((component) => component['bom-ref'])])
const bundled = components.filter((component) => places.get(component['bom-ref']) === 'pages')
/** npm omits packages from its list that development packages also need. */
const direct = [
  ...Object.keys(own).map((each) => of(`node_modules/${each}`)),
  ...bundled.map((each) => each['bom-ref']),
]
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({
    ref,
    dependsOn: ref === root ? direct.sort() : dependsOn.filter((other) => kept.has(other)).sort(),
  }))
  .sort((a, b) => (a.ref < b.ref ? -1 : 1))

const body = {
  metadata: {
    ...(process.env.SOURCE_DATE_EPOCH
      ? { timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString() }
      : {}),
    lifecycles: [{ phase: 'pre-build' }],
    tools: { components: [{ type: 'application', ...toolOf(all.metadata.tools[0]) }] },
    component: {
      'bom-ref': root,
      type: 'application',
      name,
      version,
      description,
      purl: `pkg:generic/${name}@${version}`,
      licenses: [{ license: { id: license } }],
    },
  },
  components: [...components, container],
  dependencies: [...dependencies, { ref: imageRef, dependsOn: [] }],
}

function toolOf({ name: tool, version: toolVersion }) {
  return { name: `npm ${tool}`, version: toolVersion }
}

/** Computes a UUID from the content as serial number, so that it changes exactly when the content does. */
function serialNumber(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: serialNumber(body),
  version: 1,
  ...body,
}
const text = `${JSON.stringify(document, null, 2)}\n`
const [, , file] = process.argv
if (file === undefined) process.stdout.write(text)
else writeFileSync(file, text)
