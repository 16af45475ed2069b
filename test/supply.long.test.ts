import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from './recipes.js'

/** Tests of the packages that are shipped, and of their origin. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const service = JSON.parse(read('package.json'))

interface Locked {
  version: string
  integrity: string
  dev?: boolean
}
const locked = Object.entries<Locked>(JSON.parse(read('package-lock.json')).packages).filter(([path]) => path !== '')
const nameOf = (path: string): string => path.split('node_modules/').at(-1)!
const refOf = ([path, { version }]: [string, Locked]): string => `${nameOf(path)}@${version}`

interface Result {
  code: number
  stdout: string
  stderr: string
}

/** Runs a script of the project on the tree in `root`, to its end. */
function run(script: string, args: string[] = [], env: NodeJS.ProcessEnv = {}, root = ROOT): Promise<Result> {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'scripts', script), ...args], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  const result = { code: 0, stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk) => (result.stdout += chunk))
  child.stderr!.on('data', (chunk) => (result.stderr += chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...result, code: code ?? -1 }))
  })
}

/** Starts a registry on the loopback address; it ends with the test. */
async function startRegistry(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Makes a copy of the scripts and the files that they read, which a test may change; it ends with the test. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-supply-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['scripts', 'Dockerfile', 'package.json', 'package-lock.json', 'CHANGELOG.md']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  }
  for (const path of ['node_modules', 'src']) symlinkSync(join(ROOT, path), join(folder, path))
  return folder
}

/** The essentials of CycloneDX 1.6. */
const SBOM_SCHEMA = {
  type: 'object',
  required: ['bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata', 'components', 'dependencies'],
  properties: {
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.6' },
    serialNumber: { pattern: '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
    version: { type: 'integer', minimum: 1 },
    metadata: { required: ['component', 'tools'], properties: { component: { $ref: '#/$defs/component' } } },
    components: { type: 'array', minItems: 1, uniqueItems: true, items: { $ref: '#/$defs/component' } },
    dependencies: {
      type: 'array',
      items: {
        required: ['ref'],
        properties: { ref: { type: 'string' }, dependsOn: { type: 'array', uniqueItems: true } },
      },
    },
  },
  $defs: {
    component: {
      type: 'object',
      required: ['bom-ref', 'type', 'name', 'version', 'purl'],
      properties: {
        type: { enum: ['application', 'library', 'container'] },
        scope: { enum: ['required', 'optional', 'excluded'] },
        purl: { pattern: '^pkg:(npm|docker|generic)/[^\\s@]+@[^\\s@]+$' },
        hashes: {
          type: 'array',
          items: {
            required: ['alg', 'content'],
            properties: {
              alg: { enum: ['SHA-512', 'SHA-256'] },
              content: { pattern: '^([0-9a-f]{64}|[0-9a-f]{128})$' },
            },
          },
        },
      },
    },
  },
}

interface Component {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl: string
  hashes?: { alg: string; content: string }[]
  properties?: { name: string; value: string }[]
}

describe('the software bill of materials', () => {
  async function make(): Promise<{ text: string; components: Component[]; [key: string]: unknown }> {
    const { code, stdout, stderr } = await run('sbom.mjs')
    expect(code, stderr).toBe(0)
    return { ...JSON.parse(stdout), text: stdout }
  }

  test('lists every package of the server with purl, version and hash, those of the pages, the base image, and nothing else', async () => {
    const { text, ...bill } = await make()
    const validate = new Ajv2020({ strict: false }).compile(SBOM_SCHEMA)
    expect(validate(bill), JSON.stringify(validate.errors)).toBe(true)

    const byRef = new Map(bill.components.map((component) => [component['bom-ref'], component]))
    const production = locked.filter(([, { dev }]) => !dev)
    expect(production.length).toBeGreaterThan(50)
    for (const entry of production) {
      const [path, { version, integrity }] = entry
      const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
      expect(byRef.get(refOf(entry)), path).toMatchObject({
        version,
        purl: `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`,
        hashes: [{ alg: 'SHA-512', content }],
        properties: [{ name: 'greenroom:runs-in', value: 'server' }],
      })
    }
    const wanted = new Set(production.map(refOf))
    const others = bill.components.filter((component) => !wanted.has(component['bom-ref']))
    const pages = others.filter(({ type }) => type === 'library')
    // A development package is listed only if a browser gets its code.
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(['preact', '@tanstack/preact-query']))
    for (const { name, properties } of pages) {
      expect(properties, name).toEqual([{ name: 'greenroom:runs-in', value: 'pages' }])
    }
    for (const name of ['vite', 'typescript', 'vitest', 'esbuild', 'fast-check', '@biomejs/biome']) {
      expect([...byRef.keys()].filter((ref) => ref.startsWith(`${name}@`))).toEqual([])
    }
    const [, tag, digest] = /^ARG NODE=([^@\n]+)@sha256:(\w+)$/m.exec(read('Dockerfile'))!
    expect(others.filter(({ type }) => type !== 'library')).toMatchObject([
      { type: 'container', name: 'node', version: tag, hashes: [{ alg: 'SHA-256', content: digest }] },
    ])
    expect(text).not.toMatch(/https?:\/\/(?!cyclonedx\.org)/)
  })

  test('has this version and its direct dependencies, and is the same for the same tree', async () => {
    const [one, other] = await Promise.all([make(), make()])
    expect(one.text).toBe(other.text)
    const root = `greenroom@${service.version}`
    expect(one.metadata).toMatchObject({
      component: { 'bom-ref': root, type: 'application', version: service.version },
    })
    const graph = one.dependencies as { ref: string; dependsOn: string[] }[]
    const direct = graph.find(({ ref }) => ref === root)!.dependsOn.map((ref) => ref.replace(/@[^@]+$/, ''))
    expect(direct).toEqual(expect.arrayContaining(Object.keys(service.dependencies)))
    const known = new Set([root, ...one.components.map((component) => component['bom-ref'])])
    expect(graph.map(({ ref }) => ref).toSorted()).toEqual([...known].toSorted())
    expect(graph.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([])
  })
})

describe('npm run audit', () => {
  /** npm caches advisories by number, so each run gets its own cache. */
  function audit(registry: string): Promise<Result> {
    const cache = mkdtempSync(join(tmpdir(), 'greenroom-npm-'))
    onTestFinished(() => rmSync(cache, { recursive: true }))
    return run('audit.mjs', [], { npm_config_registry: registry, npm_config_cache: cache })
  }

  /** Starts a registry that has one advisory and no packages. */
  const startAdvisories = (name: string, severity: string): Promise<string> =>
    startRegistry((request, response) => {
      if (request.method !== 'POST') return void response.writeHead(404).end('{}')
      const advisory = {
        id: 1,
        url: 'https://advisories.example/1',
        title: 'A hole',
        severity,
        vulnerable_versions: '*',
      }
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ [name]: [advisory] }))
    })

  test.each([
    ['a package of the server', 'joi', 'moderate', 1, /^joi .*moderate\. It is shipped\. .*A hole/m],
    ['a package that is bundled into a page', 'preact', 'critical', 1, /^preact .*It is shipped\./m],
    ['a low one', 'joi', 'low', 0, /^joi .*low\. It is shipped\./m],
    ['a package for development', 'typescript', 'critical', 0, /^typescript .*It is only for development\./m],
    ['no package of ours', 'left-pad', 'critical', 0, /^No advisory/],
  ])('an advisory of %s', async (_what, name, severity, wanted, output) => {
    const { code, stdout, stderr } = await audit(await startAdvisories(name, severity))
    expect(code, stdout + stderr).toBe(wanted)
    expect(stdout).toMatch(output)
  })

  test('reports that a registry does not answer, and succeeds', async () => {
    const refusing = await startRegistry((_request, response) => void response.writeHead(405).end())
    for (const registry of [refusing, 'http://127.0.0.1:1']) {
      const { code, stdout } = await audit(registry)
      expect(stdout).toMatch(
        /^The lock file was not checked against advisories, because the registry did not answer: ./,
      )
      expect(code).toBe(0)
    }
  })
})

describe('the base image', () => {
  const INDEX = '{"schemaVersion":2,"manifests":[]}'
  const DIGEST = `sha256:${createHash('sha256').update(INDEX).digest('hex')}`
  const TAG = '22-bookworm-slim'

  /** Starts a registry of images that gives a token to anyone who asks, like the public one. */
  async function startImages(headers: Record<string, string> = {}): Promise<string> {
    const url = await startRegistry((request, response) => {
      if (request.url!.startsWith('/token')) {
        expect(request.url).toBe('/token?service=images&scope=repository%3Alibrary%2Fnode%3Apull')
        return void response.end('{"token":"for-everyone"}')
      }
      if (request.headers.authorization !== 'Bearer for-everyone') {
        const challenge = `Bearer realm="${url}/token",service="images",scope="repository:library/node:pull"`
        return void response.writeHead(401, { 'www-authenticate': challenge }).end()
      }
      expect(request.url).toBe(`/v2/library/node/manifests/${TAG}`)
      response.writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json', ...headers }).end(INDEX)
    })
    return url
  }

  const argument = (root: string): string =>
    /^ARG NODE=(.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1]!

  test('is named by its digest in every stage', () => {
    expect(argument(ROOT)).toMatch(/^[\w.-]+@sha256:[0-9a-f]{64}$/)
    const stages = [...read('Dockerfile').matchAll(/^FROM (.*)$/gm)].map(([, image]) => image)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the Dockerfile's
    expect(stages).toEqual(['node:${NODE} AS build', 'node:${NODE}'])
  })

  test("is pinned to the registry's digest, and a release is refused if the tag has changed or has no digest", async () => {
    const root = copyTree()
    const step = (name: string, registry: string): Promise<Result> =>
      run('base-image.mjs', [name], { BASE_IMAGE_REGISTRY: registry }, root)
    const images = await startImages({ 'docker-content-digest': DIGEST })
    expect(await step('check', images)).toMatchObject({ code: 1, stdout: expect.stringContaining(DIGEST) })
    expect(await step('pin', images)).toMatchObject({ code: 0 })
    expect(argument(root)).toBe(`${TAG}@${DIGEST}`)
    expect(await step('check', images)).toMatchObject({ code: 0 })

    writeFileSync(join(root, 'Dockerfile'), read('Dockerfile').replace(/^ARG NODE=.*$/m, `ARG NODE=${TAG}`))
    expect(await step('check', images)).toMatchObject({ code: 1, stdout: expect.stringContaining('without a digest') })
    expect(await step('check', 'http://127.0.0.1:1')).toMatchObject({ code: 1 })
  })

  test('stays the same if the registry does not answer, or returns a digest that its bytes do not have', async () => {
    const root = copyTree()
    const lying = await startImages({ 'docker-content-digest': `sha256:${'0'.repeat(64)}` })
    for (const registry of ['http://127.0.0.1:1', lying]) {
      const env = { BASE_IMAGE_REGISTRY: registry }
      expect(await run('base-image.mjs', ['pin'], env, root)).toMatchObject({ code: 1 })
      expect(argument(root)).toBe(argument(ROOT))
      expect(await run('base-image.mjs', ['check'], env, root)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('did not answer'),
      })
    }
  })
})
