import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ROOT } from './recipes.js'

type Labels = Record<string, string>
interface Probe {
  httpGet: { path: string; port: string }
  timeoutSeconds?: number
}
export interface Container {
  name: string
  image: string
  args: string[]
  env?: { name: string; value?: string }[]
  envFrom?: { configMapRef?: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  securityContext: object
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
}
interface Volume {
  name: string
  secret?: { secretName: string; items?: { key: string; path: string }[]; defaultMode: number }
  persistentVolumeClaim?: { claimName: string }
  emptyDir?: object
}
interface PodSpec {
  containers: Container[]
  volumes: Volume[]
  terminationGracePeriodSeconds?: number
}
/** An object of any kind: a test knows which parts its kind has. */
export interface Thing {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Labels }
  // biome-ignore lint/suspicious/noExplicitAny: the parts differ by kind
  spec: any
  data?: Record<string, string>
}

export const parseObjects = (text: string): Thing[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Thing)
export const ofKind = (objects: Thing[], ...kinds: string[]): Thing[] =>
  objects.filter(({ kind }) => kinds.includes(kind))
export const podOf = ({ spec }: Thing): PodSpec => spec.template.spec
export const containersOf = (thing: Thing): Container[] => podOf(thing).containers
export const labelsOf = ({ spec }: Thing): Labels => spec.template.metadata.labels
export const selects = ({ matchLabels }: { matchLabels: Labels }, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value)

/** Returns the environment that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const [, text = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]))
}

/** Returns the variables of a container. */
export function environmentOf({ env = [], envFrom = [] }: Container, objects: Thing[]): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) => {
    const map = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef?.name)
    expect(map, `the map ${configMapRef?.name}`).toBeDefined()
    return map!.data
  })
  return Object.assign({}, ...maps, Object.fromEntries(env.map(({ name, value }) => [name, value ?? ''])))
}

/** The file of a setting in its mounted secret. */
interface SecretFile {
  setting: string
  secret: string
  key: string
}

export function secretFilesOf(container: Container, pod: PodSpec, objects: Thing[]): SecretFile[] {
  const files = Object.entries(environmentOf(container, objects)).filter(([name]) => name.endsWith('_FILE'))
  return files.map(([setting, path]) => {
    const mount = container.volumeMounts.find(({ mountPath }) => path === `${mountPath}/${basename(path)}`)
    const secret = pod.volumes.find(({ name }) => name === mount?.name)?.secret
    expect([setting, mount?.readOnly, secret?.defaultMode]).toEqual([setting, true, 0o440])
    const { secretName, items } = secret!
    const key = items === undefined ? basename(path) : items.find((item) => item.path === basename(path))?.key
    expect(key, setting).toBeDefined()
    return { setting, secret: secretName, key: key! }
  })
}

/** Returns the module of the package that has the schemas of a group. */
export function moduleOf({ apiVersion }: Pick<Thing, 'apiVersion'>): string {
  if (apiVersion.startsWith('monitoring.coreos.com/')) return `@kubernetes-models/prometheus-operator/${apiVersion}`
  return `kubernetes-models/${apiVersion}`
}

export const claimOf = ({ persistentVolumeClaim }: Volume): string | undefined => persistentVolumeClaim?.claimName

/** Returns what a program printed, also when it failed. */
export function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error)
  }
}
