import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../src/app.js'
import { type Config, readConfig, SETTINGS } from '../src/config/index.js'
import { ROLES } from '../src/serve.js'
import {
  type Container,
  claimOf,
  containersOf,
  environmentOf,
  imageEnvironment,
  labelsOf,
  moduleOf,
  ofKind,
  outputOf,
  parseObjects,
  podOf,
  secretFilesOf,
  selects,
  type Thing,
} from './kubernetes.js'
import { codeBlocks, ROOT } from './recipes.js'
import { startTestApp, TEST_OPTIONS } from './test-app.js'
import { findTool } from './tools.js'

const KUBECTL = findTool('kubectl')
const TREES = ['base', 'overlays/embedded', 'overlays/postgres'] as const
const COMPONENTS = ['components/pod-monitor']
/** The default of PostgreSQL, and the share of it for people and replication (docs/scaling.md). */
const MAX_CONNECTIONS = 100
const RESERVED_CONNECTIONS = 10

const SECRETS: Record<string, string> = {
  MASTER_KEY_FILE: 'ab'.repeat(32),
  DATABASE_URL_FILE: 'postgres://greenroom:secret@db.example.com/greenroom',
  MIGRATE_DATABASE_URL_FILE: 'postgres://greenroom_owner:secret@db.example.com/greenroom',
}

const PAGE = 'docs/kubernetes.md'
/** A fake kubectl: builds and makes secrets as the real one does, and records what would be applied and every call. */
const KUBECTL_WITHOUT_CLUSTER = `echo "$*" >>"$PLACE/calls"
case "$*" in
  'create secret '*) "$KUBECTL" "$@" --dry-run=client -o yaml >>"$PLACE/secrets.yaml" && echo --- >>"$PLACE/secrets.yaml" ;;
  'apply -f '*) test -f "$3" ;;
  'apply -k '*) exec "$KUBECTL" kustomize "$3" >"$PLACE/applied.yaml" ;;
  kustomize*) exec "$KUBECTL" "$@" ;;
esac`

describe.skipIf(KUBECTL === undefined)('the manifests for Kubernetes (need kubectl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-kubernetes-'))
  const built = new Map<string, Thing[]>()
  afterAll(() => rmSync(folder, { recursive: true }))

  const kustomize = (path: string): string =>
    execFileSync(KUBECTL!, ['kustomize', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  /** Builds one of our overlays with the optional parts, as an operator's own overlay does. */
  function buildWithComponents(tree: string): Thing[] {
    const own = join(folder, 'own')
    mkdirSync(own)
    const at = (path: string): string => join('..', 'deploy', 'kubernetes', path)
    const text = { resources: [at(tree)], components: COMPONENTS.map(at), namespace: 'greenroom' }
    writeFileSync(join(own, 'kustomization.yaml'), JSON.stringify(text))
    const objects = parseObjects(kustomize(own))
    rmSync(own, { recursive: true })
    return objects
  }

  /** Reads the environment of a container as the service does, with files for its secrets. */
  function configOf(container: Container, objects: Thing[]): Config {
    const set = { ...imageEnvironment(), ...environmentOf(container, objects) }
    const env = Object.entries(set).map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value]
      const file = join(folder, name)
      writeFileSync(file, SECRETS[name] ?? 'a secret of the tests'.replaceAll(' ', '-'))
      return [name, file]
    })
    return readConfig(Object.fromEntries(env), container.args[0] === 'migrate' ? { MASTER_KEY: 'cd'.repeat(32) } : {})
  }

  beforeAll(() => {
    cpSync(join(ROOT, 'deploy', 'kubernetes'), join(folder, 'deploy', 'kubernetes'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    for (const tree of TREES)
      built.set(
        tree,
        tree === 'base' ? parseObjects(kustomize(join(ROOT, 'deploy/kubernetes/base'))) : buildWithComponents(tree),
      )
  })

  describe.each(TREES)('%s', (tree) => {
    const objects = (): Thing[] => built.get(tree)!
    const workloads = (): Thing[] => ofKind(objects(), 'Deployment', 'Job')
    const deployments = (): Thing[] => ofKind(objects(), 'Deployment')

    test('is valid by the schemas of Kubernetes and of the Prometheus operator', async () => {
      expect(objects().length).toBeGreaterThan(4)
      for (const object of objects()) {
        const models: Record<string, new (data: object) => { validate(): void }> = await import(moduleOf(object))
        expect(
          () => new models[object.kind]!(object).validate(),
          `${object.kind} ${object.metadata.name}`,
        ).not.toThrow()
      }
    })

    test('has no field that the API does not know', () => {
      const lines = objects().map((object, at) => {
        const { apiVersion, kind } = object
        return `import type { I${kind} as K${at} } from '${moduleOf({ apiVersion })}'\nexport const object${at}: K${at} = ${JSON.stringify(object)}\n`
      })
      const file = join(folder, 'objects.ts')
      writeFileSync(file, lines.join(''))
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
      const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
      expect(outputOf(() => execFileSync(tsc, [...options, file], { encoding: 'utf8', cwd: folder }))).toBe('')
    })

    test('sets only settings, and is a valid configuration', () => {
      for (const workload of workloads()) {
        for (const container of containersOf(workload)) {
          const names = Object.keys(environmentOf(container, objects()))
          expect(names.filter((name) => !(name in SETTINGS))).toEqual([])
          expect(configOf(container, objects()).misspelt).toEqual([])
          const [command, option, role] = container.args
          expect([[], ['--role']]).toContainEqual(option === undefined ? [] : [option])
          expect(['serve', 'migrate']).toContain(command)
          expect([undefined, ...ROLES]).toContain(role)
        }
      }
      const { metrics, http } = configOf(containersOf(deployments()[0]!)[0]!, objects())
      const ports = deployments().map((each) => containersOf(each)[0]!.ports)
      for (const each of ports)
        expect(each).toEqual([
          { name: 'http', containerPort: http.port },
          { name: 'metrics', containerPort: metrics.address?.port },
        ])
    })

    test('passes secrets only as files, and the role that migrates only to the Job', () => {
      const isSecret = (name: string): boolean => `${name}_FILE` in SETTINGS
      for (const workload of workloads()) {
        const pod = podOf(workload)
        for (const container of pod.containers) {
          expect(Object.keys(environmentOf(container, objects())).filter(isSecret)).toEqual([])
          expect(JSON.stringify([container.env, container.envFrom])).not.toMatch(/secret(?:Key)?Ref|valueFrom/)
          const files = secretFilesOf(container, pod, objects())
          expect(files.length).toBeGreaterThan(1)
          expect(files.some(({ setting }) => setting === 'MIGRATE_DATABASE_URL_FILE')).toBe(workload.kind === 'Job')
        }
      }
      expect(ofKind(objects(), 'Secret')).toEqual([])
    })

    test('probes paths that every role serves, and its liveness probe asks no database', async () => {
      const { context } = await startTestApp()
      const apps = await Promise.all([true, false].map((api) => buildApp(context, { ...TEST_OPTIONS, api })))
      for (const deployment of deployments()) {
        for (const { startupProbe, livenessProbe, readinessProbe, ports } of containersOf(deployment)) {
          const probes = [startupProbe!, livenessProbe!, readinessProbe!]
          expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz'])
          for (const { httpGet } of probes) {
            expect(ports!.map(({ name }) => name)).toContain(httpGet.port)
            for (const app of apps) expect((await app.inject(httpGet.path)).statusCode).toBe(200)
          }
          // A probe waits a second for the database.
          expect(readinessProbe!.timeoutSeconds).toBeGreaterThan(1)
        }
      }
    })

    test('gives a stop the time of the drain, of the last requests and of closing the database', () => {
      const [, closeMs] = /CLOSE_TIMEOUT_MS = ([\d_]{1,9})/.exec(readFileSync(join(ROOT, 'src/main.ts'), 'utf8')) ?? []
      for (const deployment of deployments()) {
        const { http, graph } = configOf(containersOf(deployment)[0]!, objects())
        const needed = http.drainMs + Math.max(http.stopTimeoutMs, graph.timeoutMs) + Number(closeMs!.replace('_', ''))
        expect(podOf(deployment).terminationGracePeriodSeconds! * 1000).toBeGreaterThan(needed)
        expect(http.drainMs).toBeGreaterThan(2 * 2_000)
      }
    })

    test('selects existing pods, each by one workload', () => {
      const pods = workloads().map(labelsOf)
      for (const { spec, metadata } of deployments()) {
        expect(
          pods.filter((labels) => selects(spec.selector, labels)),
          metadata.name,
        ).toHaveLength(1)
      }
      const [service] = ofKind(objects(), 'Service')
      const answering = deployments().filter((each) => selects({ matchLabels: service!.spec.selector }, labelsOf(each)))
      expect(answering.map((each) => containersOf(each)[0]!.args.slice(2))).toEqual([
        tree === 'overlays/postgres' ? ['api'] : [],
      ])
      expect(containersOf(answering[0]!)[0]!.ports!.map(({ name }) => name)).toContain(
        service!.spec.ports[0].targetPort,
      )
      for (const { spec } of ofKind(objects(), 'NetworkPolicy')) {
        for (const labels of pods) expect(selects(spec.podSelector, labels)).toBe(true)
        const named = (spec.ingress ?? []).flatMap((rule: { ports: { port: string }[] }) => rule.ports)
        for (const { port } of named) expect(['http', 'metrics']).toContain(port)
      }
      for (const { spec } of ofKind(objects(), 'PodDisruptionBudget')) {
        const covered = deployments().filter((each) => selects(spec.selector, labelsOf(each)))
        expect(covered.map((each) => each.spec.replicas > spec.maxUnavailable)).toEqual([true])
      }
      const claims = ofKind(objects(), 'PersistentVolumeClaim').map(({ metadata }) => metadata.name)
      const claimed = deployments().flatMap((each) => podOf(each).volumes.flatMap((volume) => claimOf(volume) ?? []))
      expect([...new Set(claimed)].toSorted()).toEqual(claims.toSorted())
    })

    test('runs as a plain user with a read-only root, and mounts every directory that the process writes', () => {
      for (const workload of workloads()) {
        const pod = podOf(workload)
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            fsGroup: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        })
        for (const container of pod.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          })
          expect(container).toMatchObject({
            resources: { requests: { cpu: /\w/, memory: /\w/ }, limits: { memory: /\w/ } },
          })
          if (tree === 'base' || workload.kind === 'Job') continue
          const { database, media, backup } = configOf(container, objects())
          const written = [database.url === undefined ? database.dataDir : '/tmp', media?.dir, backup?.dir]
          const isKept = (path: string): boolean =>
            container.volumeMounts.some(({ name, mountPath, readOnly }) => {
              const volume = pod.volumes.find((each) => each.name === name)!
              const isWritable = claimOf(volume) !== undefined || (volume.emptyDir !== undefined && path === '/tmp')
              return isWritable && readOnly !== true && `${path}/`.startsWith(`${mountPath}/`)
            })
          expect(written.filter((path) => path !== undefined && !isKept(path))).toEqual([])
        }
      }
    })

    test('gives a volume of one node to one pod at a time', () => {
      const shared = ofKind(objects(), 'PersistentVolumeClaim').filter(
        ({ spec }) => !spec.accessModes.includes('ReadWriteMany'),
      )
      const names = shared.map(({ metadata }) => metadata.name)
      const holders = deployments().filter((each) =>
        podOf(each).volumes.some((volume) => names.includes(claimOf(volume)!)),
      )
      expect(holders).toHaveLength(tree === 'base' ? 0 : 1)
      for (const { spec } of holders) expect([spec.replicas, spec.strategy]).toEqual([1, { type: 'Recreate' }])
    })
  })

  test('the processes of a rollout fit twice into the default of PostgreSQL, as docs/scaling.md computes', () => {
    const objects = built.get('overlays/postgres')!
    const roles = ofKind(objects, 'Deployment').map((each) => containersOf(each)[0]!.args[2])
    expect(roles.toSorted()).toEqual([...ROLES].toSorted())
    const processes = ofKind(objects, 'Deployment').map(
      ({ spec }) => spec.replicas + (spec.strategy.rollingUpdate?.maxSurge ?? 0),
    )
    const pods = processes.reduce((all, one) => all + one, 0)
    const { poolMax } = configOf(containersOf(ofKind(objects, 'Deployment')[0]!)[0]!, objects).database
    const needed = pods * poolMax * 2 + RESERVED_CONNECTIONS
    expect(needed).toBeLessThanOrEqual(MAX_CONNECTIONS)
    const example = `${pods} × ${poolMax} × 2 + ${RESERVED_CONNECTIONS} = ${needed}`
    expect(readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')).toContain(example)
    for (const each of ofKind(objects, 'Deployment')) {
      expect(configOf(containersOf(each)[0]!, objects).database.migratesAtStart).toBe(false)
    }
  })

  test('the PodMonitor asks for the metrics with their token, under the job that the alerts select', () => {
    for (const tree of TREES.slice(1)) {
      const objects = built.get(tree)!
      const [monitor] = ofKind(objects, 'PodMonitor')
      const { jobLabel, selector, podMetricsEndpoints } = monitor!.spec
      for (const deployment of ofKind(objects, 'Deployment')) {
        const labels = labelsOf(deployment)
        expect([selects(selector, labels), labels[jobLabel]]).toEqual([true, 'greenroom'])
        const [container] = containersOf(deployment)
        const files = secretFilesOf(container!, podOf(deployment), objects)
        const { secret, key } = files.find(({ setting }) => setting === 'METRICS_TOKEN_FILE')!
        expect(podMetricsEndpoints).toEqual([
          { port: 'metrics', path: '/metrics', authorization: { type: 'Bearer', credentials: { name: secret, key } } },
        ])
      }
    }
  })

  test.each([
    'embedded',
    'postgres',
  ])('every command of docs/kubernetes.md runs, as far as it can without a cluster: %s', (overlay) => {
    const place = join(folder, `page-${overlay}`)
    cpSync(join(folder, 'deploy'), join(place, 'greenroom', 'deploy'), { recursive: true })
    const [own, ...others] = codeBlocks(PAGE, 'yaml')
    expect(others).toEqual([])
    writeFileSync(join(place, 'kustomization.yaml'), own!.replace('overlays/postgres', `overlays/${overlay}`))
    const programs = join(place, 'programs')
    mkdirSync(programs)
    for (const [name, script] of Object.entries({ kubectl: KUBECTL_WITHOUT_CLUSTER, docker: 'exit 0' })) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), 0o755)
    }
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, KUBECTL, PLACE: place }
    for (const block of codeBlocks(PAGE, 'sh')) {
      execFileSync('bash', ['-euo', 'pipefail', '-c', block], { cwd: place, env, stdio: 'pipe' })
    }

    const objects = parseObjects(readFileSync(join(place, 'applied.yaml'), 'utf8'))
    const workloads = ofKind(objects, 'Deployment', 'Job')
    expect(workloads).toHaveLength(overlay === 'postgres' ? 4 : 1)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const image = `registry.example.com/greenroom:${version}`
    for (const workload of workloads) {
      const pod = podOf(workload)
      const [container] = pod.containers
      expect(container!.image).toBe(image)
      const { PUBLIC_URL } = environmentOf(container!, objects)
      expect(PUBLIC_URL).toBe(workload.kind === 'Job' ? undefined : 'https://greenroom.acme.example')
      const made = parseObjects(readFileSync(join(place, 'secrets.yaml'), 'utf8'))
      for (const { secret, key } of secretFilesOf(container!, pod, objects)) {
        expect(Object.keys(made.find(({ metadata }) => metadata.name === secret)?.data ?? {})).toContain(key)
      }
    }
    const calls = readFileSync(join(place, 'calls'), 'utf8')
    expect(calls).toContain(environmentOf(containersOf(workloads[0]!)[0]!, objects).OPERATOR_TOKEN_FILE)
    const named = [...calls.matchAll(/\b(deployment|job)[/ ]([a-z-]+)/g)].map(([, kind, name]) => `${kind} ${name}`)
    const there = workloads.map(({ kind, metadata }) => `${kind.toLowerCase()} ${metadata.name}`)
    if (overlay === 'postgres') expect([...new Set(named)].toSorted()).toEqual(there.toSorted())
  })
})
