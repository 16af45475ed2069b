// `npm run build`: the server, the types of the client and the two pages, side by side.
import { buildPages, buildServer, buildTypes, sayBuildError } from './building.mjs'

await Promise.all([buildServer(), buildTypes(), buildPages()]).catch(sayBuildError)
