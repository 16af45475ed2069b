import type { Description, Schema } from 'joi'
import { api, v1 } from '../../src/access/surfaces.js'
import type { Operation } from '../../src/http/operation.js'
import { permissionsOf } from '../../src/http/principal.js'
import { routesOf } from '../../src/http/surfaces.js'

/** Only sessions have these permissions, so no command can call such an operation. */
const SESSION_PERMISSIONS: readonly string[] = ['sign-in', 'second-factor', 'device', 'account']

/** Writes the command line's help for each operation: its summary, and the fields of its query and body. */
export function commandsOfWire(operations: readonly Operation[]): string {
  const called = [v1, api]
    .flatMap((surface) => routesOf(surface, operations))
    .filter(({ operation }) => !permissionsOf(operation.permission).every((each) => SESSION_PERMISSIONS.includes(each)))
  const lines = new Map(
    called.map(({ operation: { operationId, summary, query, body, streams } }) => {
      const parts = [summary, fieldsOf(query), streams === undefined ? fieldsOf(body) : []]
      return [operationId, `  ${operationId}: ${JSON.stringify(parts)},\n`]
    }),
  )
  return `/** The name of a field, its type (\`!\`: required, \`?\`: it may be null), its description and its choices. */
export type Field = readonly [name: string, type: string, text?: string, choices?: readonly string[]]

/** The summary of each operation, and the fields of its query and its body, by operationId. */
export const COMMANDS: Readonly<Record<string, readonly [string, readonly Field[], readonly Field[]]>> = {
${[...lines.values()].join('')}}
`
}

function fieldsOf(schema: Schema | undefined): unknown[] {
  const keys: Record<string, Description> = schema?.describe().keys ?? {}
  return Object.entries(keys).map(([name, described]) => {
    const { presence, description } = (described.flags ?? {}) as { presence?: string; description?: string }
    const marks = `${presence === 'required' ? '!' : ''}${described.allow?.includes(null) ? '?' : ''}`
    const choices = choicesOf(described.items?.[0] ?? described)
    const isFlag = choices?.join() === 'true,false'
    return [
      name,
      (isFlag ? 'flag' : typeOf(described)) + marks,
      description ?? '',
      ...(choices && !isFlag ? [choices] : []),
    ]
  })
}

function choicesOf({ allow, flags = {} }: Description): string[] | undefined {
  const { only } = flags as { only?: boolean }
  const texts = (only ? (allow ?? []) : []).filter((value: unknown) => typeof value === 'string' && value !== '')
  return texts.length > 0 ? texts : undefined
}

function typeOf({ type, rules, items }: Description): string {
  if (type === 'number') return rules?.some(({ name }: { name: string }) => name === 'integer') ? 'integer' : 'number'
  if (type === 'array') return { string: 'list', number: 'numbers' }[items?.[0]?.type as string] ?? 'objects'
  return type === 'object' || type === 'boolean' ? type : 'string'
}
