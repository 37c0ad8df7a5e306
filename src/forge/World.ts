/**
 * What the forge holds: accounts, repositories, items and their words, with the few moves that keep them consistent.
 * Everything that changes an entity goes through `touch` or `World.redraw`, which is what entity tags rest on.
 */
import { ForgeClock } from "./ForgeClock.ts"

export type Role = "admin" | "maintain" | "write" | "triage" | "read" | "none"

export interface Account {
  readonly id: number
  readonly login: string
  readonly type: "User" | "Bot"
  /** A deleted account is shown as no account at all. */
  deleted: boolean
}

export interface Token {
  readonly account: Account
  readonly access: "read" | "write"
}

export interface Label {
  readonly id: number
  readonly name: string
  readonly color: string
}

export interface Repo {
  readonly id: number
  owner: string
  name: string
  readonly private: boolean
  issuesEnabled: boolean
  readonly createdAt: string
  readonly labels: Map<string, Label>
  readonly roles: Map<string, Role>
  readonly items: Map<number, Item>
  /** Numbers that name nothing here any more. */
  readonly gone: Map<number, Gone>
  lastNumber: number
  /** Answers listings from before, for as many first pages as are left. */
  stale: { readonly rows: ReadonlyArray<StaleRow>; left: number } | undefined
}

export type Gone =
  | { readonly _tag: "Deleted" }
  | { readonly _tag: "Transferred"; readonly repo: Repo; readonly number: number }

/** What can be drawn as JSON, cached until its version moves. */
export interface Entity {
  version: number
}

/** A row that may stay invisible in listings for a while after it was written. */
export interface Hideable {
  hiddenFor: number
}

export interface Comment extends Entity, Hideable {
  readonly stream: "issue_comment"
  readonly id: number
  readonly author: Account
  body: string
  readonly createdAt: string
  updatedAt: string
}

export interface InlineComment extends Entity, Hideable {
  readonly stream: "review_comment"
  readonly id: number
  readonly author: Account
  body: string
  readonly path: string
  readonly line: number
  readonly replyTo: number | undefined
  readonly createdAt: string
  updatedAt: string
}

export interface Review extends Entity, Hideable {
  readonly stream: "review"
  readonly id: number
  readonly author: Account
  body: string
  state: "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED"
  submittedAt: string | undefined
}

export type Word = Comment | InlineComment | Review

export interface HistoryEntry {
  readonly id: number
  readonly event: string
  readonly actor: Account
  readonly label: Label | undefined
  readonly rename: { readonly from: string; readonly to: string } | undefined
  readonly at: string
}

export interface Pull {
  readonly id: number
  readonly headRepo: Repo
  readonly headRef: string
  headSha: string
  readonly baseRef: string
  draft: boolean
  mergedAt: string | undefined
  mergedBy: Account | undefined
  readonly reviews: Array<Review>
  readonly inline: Array<InlineComment>
}

export interface Item extends Entity, Hideable {
  readonly id: number
  readonly repo: Repo
  readonly number: number
  title: string
  body: string | null
  readonly author: Account
  /** In the order they were put on. */
  labels: Array<Label>
  state: "open" | "closed"
  stateReason: "completed" | "reopened" | "not_planned" | null
  locked: boolean
  readonly createdAt: string
  updatedAt: string
  closedAt: string | undefined
  closedBy: Account | undefined
  /** Orders what changed within one second. */
  touched: number
  readonly comments: Array<Comment>
  readonly history: Array<HistoryEntry>
  readonly pull: Pull | undefined
}

/** A listing's row as it was when its listing went stale. */
export interface StaleRow {
  readonly item: Item
  readonly state: Item["state"]
  readonly labels: ReadonlyArray<string>
  readonly updatedAt: string
  readonly touched: number
  readonly drawn: { readonly json: string; readonly digest: string }
}

/** A request that the state refuses: a mistake of whoever drives the forge. */
export class ForgeMisuse extends Error {}

const fold = (name: string) => name.toLowerCase()

const colorOf = (id: number) => ((id * 2_654_435) % 0xffffff).toString(16).padStart(6, "0")

export class World {
  readonly clock = new ForgeClock()
  readonly accounts = new Map<string, Account>()
  readonly tokens = new Map<string, Token>()
  readonly repos = new Map<number, Repo>()
  /** Names that a repository had before; a new repository at such a name takes it over. */
  readonly formerNames = new Map<string, Repo>()
  /** Moves when names that other entities show have changed. */
  epoch = 0
  /** Streams have ids of their own, and far apart, so that nothing can be ordered across them. */
  readonly #next = new Map<string, number>([
    ["account", 1000],
    ["repo", 7000],
    ["label", 300_000],
    ["item", 2_000_000_000],
    ["pull", 1_500_000_000],
    ["issue_comment", 9000],
    ["review_comment", 500],
    ["review", 42],
    ["event", 60_000_000_000],
    ["reaction", 80_000],
    ["touch", 0],
    ["commit", 0xc0ffee]
  ])

  next(sequence: string): number {
    const id = this.#next.get(sequence) ?? 1
    this.#next.set(sequence, id + 1)
    return id
  }

  commit(): string {
    return this.next("commit").toString(16).padStart(40, "0")
  }

  /** Everything that shows names is drawn anew. */
  redraw(): void {
    this.epoch += 1
  }

  /** The item's reply has changed, and its `updated_at` moves to now. */
  touch(item: Item): void {
    item.version += 1
    item.updatedAt = this.clock.stamp()
    item.touched = this.next("touch")
  }

  account(login: string): Account {
    const found = this.accounts.get(fold(login))
    if (found === undefined) throw new ForgeMisuse(`No account ${login}: add it with addAccount first.`)
    return found
  }

  addAccount(login: string, type: Account["type"]): Account {
    if (this.accounts.has(fold(login))) throw new ForgeMisuse(`There is an account ${login} already.`)
    const account: Account = { id: this.next("account"), login, type, deleted: false }
    this.accounts.set(fold(login), account)
    return account
  }

  repoNamed(fullName: string): Repo | undefined {
    for (const repo of this.repos.values()) if (fold(nameOf(repo)) === fold(fullName)) return repo
    return undefined
  }

  repo(fullName: string): Repo {
    const found = this.repoNamed(fullName)
    if (found === undefined) throw new ForgeMisuse(`No repository ${fullName}: add it with addRepo first.`)
    return found
  }

  addRepo(fullName: string, options: { readonly private: boolean; readonly issues: boolean }): Repo {
    const [owner, name, ...rest] = fullName.split("/")
    if (owner === undefined || owner === "" || name === undefined || name === "" || rest.length > 0) {
      throw new ForgeMisuse(`${fullName} is no owner/name.`)
    }
    if (this.repoNamed(fullName) !== undefined) throw new ForgeMisuse(`There is ${fullName} already.`)
    if (!this.accounts.has(fold(owner))) this.addAccount(owner, "User")
    const repo: Repo = {
      id: this.next("repo"),
      owner,
      name,
      private: options.private,
      issuesEnabled: options.issues,
      createdAt: this.clock.stamp(),
      labels: new Map(),
      roles: new Map([[fold(owner), "admin"]]),
      items: new Map(),
      gone: new Map(),
      lastNumber: 0,
      stale: undefined
    }
    this.repos.set(repo.id, repo)
    return repo
  }

  /** What an account may do in a repository: what it was given, else to read what is public. */
  role(repo: Repo, account: Account): Role {
    return repo.roles.get(fold(account.login)) ?? (repo.private ? "none" : "read")
  }

  /** Labels exist once per repository, whatever the case of their name. */
  label(repo: Repo, name: string): Label {
    const known = repo.labels.get(fold(name))
    if (known !== undefined) return known
    const id = this.next("label")
    const label: Label = { id, name, color: colorOf(id) }
    repo.labels.set(fold(name), label)
    return label
  }

  item(fullName: string, number: number): Item {
    const found = this.repo(fullName).items.get(number)
    if (found === undefined) throw new ForgeMisuse(`No item ${fullName}#${number}.`)
    return found
  }

  record(item: Item, actor: Account, event: string, detail: Partial<HistoryEntry> = {}): void {
    item.history.push({
      id: this.next("event"),
      event,
      actor,
      label: detail.label,
      rename: detail.rename,
      at: this.clock.stamp()
    })
  }
}

export const nameOf = (repo: Repo): string => `${repo.owner}/${repo.name}`

/** Folds a login, a label or a repository's name as GitHub compares them. */
export const folded = fold
