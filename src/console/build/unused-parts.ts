/**
 * Parts of the query library that the console does not use: mutations, infinite queries, suspense, error boundaries, other
 * clocks, and servers. Without them it is 3 kB smaller, gzipped. A test holds them to the exports of the library.
 */
export const UNUSED_PARTS: Readonly<Record<string, string>> = {
  mutationCache: 'export class MutationCache { resumePausedMutations() { return Promise.resolve() } clear() {} }',
  infiniteQueryBehavior: 'export let infiniteQueryBehavior, hasNextPage, hasPreviousPage',
  environmentManager: 'export const isServer = () => false, environmentManager = { isServer }',
  timeoutManager: `export let TimeoutManager, defaultTimeoutProvider
    export const timeoutManager = globalThis, systemSetTimeoutZero = (run) => setTimeout(run)`,
  suspense: `export let defaultThrowOnError, fetchOptimistic
    export const ensureSuspenseTimers = () => {}, shouldSuspend = () => false`,
  errorBoundaryUtils: `export const getHasError = () => false
    export const ensurePreventErrorBoundaryRetry = () => {}, useClearResetErrorBoundary = () => {}`,
  QueryErrorResetBoundary: 'export let QueryErrorResetBoundary; export const useQueryErrorResetBoundary = () => {}',
  jsxRuntime: `import { h } from 'preact'; export const jsx = (type, props) => h(type, props)`,
  IsRestoringProvider: 'export let IsRestoringProvider; export const useIsRestoring = () => false',
}

/** Gives the text in place of a file of the library; undefined for all other files. */
export const unusedPartOf = (id: string): string | undefined => {
  const file = /\/(\w+)(?:\.module)?\.js$/.exec(id)
  const folder = id.slice(0, file?.index)
  const isKnown = folder.endsWith('jsx-runtime/dist') || (folder.includes('@tanstack/') && folder.endsWith('/modern'))
  return isKnown && file !== null ? UNUSED_PARTS[file[1]!] : undefined
}
