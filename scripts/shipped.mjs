// Finds the packages that users of Greenroom get: those that run on the server, and those bundled into its pages.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url)
/** Vite bundles what these pages import, although package.json lists it under devDependencies. */
const PAGES = ['src/console/index.html', 'src/reference/index.html']

export const readText = (path) => readFileSync(new URL(path, ROOT), 'utf8')

/** Returns the entries of the lock file by path, without the package itself. */
export function lockedPackages() {
  const { '': _self, ...packages } = JSON.parse(readText('package-lock.json')).packages
  return packages
}

export const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Returns the paths in the lock file whose code is shipped, each with where it runs. */
export async function shippedPackages(packages = lockedPackages()) {
  const shipped = new Map()
  for (const path of await bundledPackages(packages)) shipped.set(path, 'pages')
  for (const [path, { dev }] of Object.entries(packages)) if (!dev) shipped.set(path, 'server')
  return shipped
}

/** Follows the imports of the pages with a bundler, so that a package counts only if a page uses its code. */
async function bundledPackages(packages) {
  // Imported here because base-image.mjs runs without the development packages.
  const { build } = await import('esbuild')
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(ROOT),
    entryPoints: PAGES.flatMap((page) =>
      [...readText(page).matchAll(/<script [^<>]*>/g)].flatMap(([tag]) => {
        const [, src] = /\ssrc="\.?\/?([^"]+)"/.exec(tag) ?? []
        return src === undefined ? [] : [`${dirname(page)}/${src}`]
      }),
    ),
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'empty', '.png': 'empty', '.woff2': 'empty' },
    logLevel: 'error',
  })
  return Object.keys(packages).filter((path) => Object.keys(metafile.inputs).some((input) => isInside(input, path)))
}

/** Finds the package's own files: a package nested in another one has its own entry. */
const isInside = (input, path) => input.startsWith(`${path}/`) && !input.slice(path.length).includes('/node_modules/')

/** Returns the image from which the Dockerfile's stages begin. `digest` is undefined if it has only a tag. */
export function baseImage(dockerfile = readText('Dockerfile')) {
  const found = /^ARG NODE=(?<tag>[\w.-]+)(?:@(?<digest>sha256:[0-9a-f]{64}))?$/m.exec(dockerfile)
  const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  if (found === null || stages.length === 0 || stages.some((image) => !/^node:\$\{NODE\}$/.test(image))) {
    throw new Error(
      'The Dockerfile must name its base image once, as ARG NODE=<tag>@sha256:<digest>, and begin every stage from it.',
    )
  }
  const { tag, digest } = found.groups
  return { repository: 'node', tag, digest }
}
