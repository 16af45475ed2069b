// Writes the OpenAPI documents into a build: `node scripts/build-documents.mjs <folder of the build>`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = pathToFileURL(`${resolve(process.argv[2])}/`)
const { apiDocument } = await import(new URL('api-document.js', folder))
const { API_DOCUMENTS } = await import(new URL('http/docs.js', folder))
mkdirSync(new URL('openapi/', folder), { recursive: true })
for (const name of API_DOCUMENTS) {
  writeFileSync(new URL(`openapi/${name}.json`, folder), JSON.stringify(apiDocument(name)))
}
