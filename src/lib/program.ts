/** A file that runs as its own process or thread. */
export interface Program {
  url: URL
  /** The options that Node needs to run it as a process. */
  execArgv: string[]
  /** The file that a thread of the program runs. */
  threadUrl: URL
}

// A checkout runs its sources.
const isSource = import.meta.url.endsWith('.ts')

/** Returns the program in a file of src/ or dist/, named with `.js`. Tests replace this function: test/program.ts. */
export function programAt(built: URL): Program {
  if (!isSource) return { url: built, execArgv: [], threadUrl: built }
  const url = new URL(`${built.href.slice(0, -'.js'.length)}.ts`)
  // On Node 20 a thread takes no loader from --import.
  const loads = `import { tsImport } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}
    await tsImport(${JSON.stringify(url.href)}, ${JSON.stringify(url.href)})`
  return {
    url,
    execArgv: ['--import', 'tsx/esm'],
    threadUrl: new URL(`data:text/javascript,${encodeURIComponent(loads)}`),
  }
}
