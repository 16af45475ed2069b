/** A file that runs as a process or as a thread of its own. */
export interface Program {
  url: URL
  /** The options that Node needs for a process of it. */
  execArgv: string[]
  /** The file that a thread of the program runs. */
  threadUrl: URL
}

// A checkout runs its sources.
const isSource = import.meta.url.endsWith('.ts')

/** The program in a file of src/ or dist/, whose name is given with `.js`. Tests replace this: test/program.ts. */
export function programAt(built: URL): Program {
  if (!isSource) return { url: built, execArgv: [], threadUrl: built }
  const url = new URL(`${built.href.slice(0, -'.js'.length)}.ts`)
  // A thread takes no loader from --import on Node 20.
  const loads = `import { tsImport } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}
    await tsImport(${JSON.stringify(url.href)}, ${JSON.stringify(url.href)})`
  return {
    url,
    execArgv: ['--import', 'tsx/esm'],
    threadUrl: new URL(`data:text/javascript,${encodeURIComponent(loads)}`),
  }
}
