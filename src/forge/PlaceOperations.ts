/** Operations on accounts and repositories. */
import * as Schema from "effect/Schema"
import { Nothing, operation } from "./Operation.ts"
import { staleRows } from "./ItemRoutes.ts"
import { folded, ForgeMisuse, nameOf } from "./World.ts"

const RoleName = Schema.Literals(["admin", "maintain", "write", "triage", "read", "none"])

/** Adds a person, or an app (`Bot`). */
export const addAccount = operation(
  Schema.Struct({ login: Schema.String, type: Schema.optionalKey(Schema.Literals(["User", "Bot"])) }),
  Schema.Struct({ id: Schema.Int }),
  ({ stage: { world } }, { login, type }) => ({ id: world.addAccount(login, type ?? "User").id })
)

/** Lets requests with this token act for an account; `access: read` refuses every write. */
export const addToken = operation(
  Schema.Struct({
    token: Schema.String,
    login: Schema.String,
    access: Schema.optionalKey(Schema.Literals(["read", "write"]))
  }),
  Nothing,
  ({ stage: { world } }, { token, login, access }) => {
    world.tokens.set(token, { account: world.account(login), access: access ?? "write" })
    return null
  }
)

/** Makes a token unknown: 401 from now on. */
export const revokeToken = operation(
  Schema.Struct({ token: Schema.String }),
  Nothing,
  ({ stage: { world } }, { token }) => {
    world.tokens.delete(token)
    return null
  }
)

/** Shows the account as null wherever it wrote or acted. */
export const deleteAccount = operation(
  Schema.Struct({ login: Schema.String }),
  Nothing,
  ({ stage: { world } }, { login }) => {
    world.account(login).deleted = true
    world.redraw()
    return null
  }
)

/** Adds a repository, and its owner where there is none yet; private ones are 404 to whoever has no role. */
export const addRepo = operation(
  Schema.Struct({
    repo: Schema.String,
    private: Schema.optionalKey(Schema.Boolean),
    issues: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({ id: Schema.Int }),
  ({ stage: { world } }, made) => ({
    id: world.addRepo(made.repo, { private: made.private ?? false, issues: made.issues ?? true }).id
  })
)

/** Gives an account a role in a repository. */
export const setRole = operation(
  Schema.Struct({ repo: Schema.String, login: Schema.String, role: RoleName }),
  Nothing,
  ({ stage: { world } }, { repo, login, role }) => {
    world.repo(repo).roles.set(folded(login), role)
    world.redraw()
    return null
  }
)

/** Turns the issues of a repository off (its listing is 410) or on. */
export const setIssuesEnabled = operation(
  Schema.Struct({ repo: Schema.String, enabled: Schema.Boolean }),
  Nothing,
  ({ stage: { world } }, { repo, enabled }) => {
    world.repo(repo).issuesEnabled = enabled
    return null
  }
)

/** Renames a repository: the old name redirects by id until another repository takes it. */
export const renameRepo = operation(
  Schema.Struct({ repo: Schema.String, to: Schema.String }),
  Nothing,
  ({ stage: { world } }, { repo: from, to }) => {
    const repo = world.repo(from)
    const [owner, name] = to.split("/")
    if (owner === undefined || name === undefined) throw new ForgeMisuse(`${to} is no owner/name.`)
    if (world.repoNamed(to) !== undefined) throw new ForgeMisuse(`There is ${to} already.`)
    if (!world.accounts.has(folded(owner))) world.addAccount(owner, "User")
    world.formerNames.set(folded(nameOf(repo)), repo)
    repo.owner = owner
    repo.name = name
    world.redraw()
    return null
  }
)

/** Removes a repository with everything in it. */
export const deleteRepo = operation(
  Schema.Struct({ repo: Schema.String }),
  Nothing,
  ({ stage: { world } }, { repo }) => {
    world.repos.delete(world.repo(repo).id)
    return null
  }
)

/** Answers the next `listings` walks over a repository's items from before what is written after this. */
export const freezeListing = operation(
  Schema.Struct({ repo: Schema.String, listings: Schema.Int }),
  Nothing,
  ({ stage }, { repo: name, listings }) => {
    const repo = stage.world.repo(name)
    repo.stale = { rows: staleRows(stage, repo), left: listings }
    return null
  }
)
