/**
 * `node --import <this file> program.ts`: runs a program of the tests straight from its TypeScript source, on every
 * Node that we support. The transformer is the one that comes with vitest.
 */
import { existsSync, readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { transformSync } from 'rolldown/utils'

// Node loads this file a second time for the hooks themselves, on a thread of their own.
if (isMainThread) register(import.meta.url)

export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
    if (existsSync(source)) return { url: source.href, shortCircuit: true }
  }
  return await next(specifier, context)
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return await next(url, context)
  const path = fileURLToPath(url)
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'))
  if (errors.length > 0) throw new Error(`${path} cannot be transformed: ${errors[0].message}`)
  return { format: 'module', source: code, shortCircuit: true }
}
