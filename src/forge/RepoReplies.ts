/** How accounts and repositories look in GitHub's replies. */
import type {
  FullRepositoryShape,
  LabelShape,
  PermissionShape,
  PrivateUser,
  RepositoryShape,
  SimpleUser
} from "./Shapes.ts"
import { type Account, type Label, nameOf, type Repo, type Role } from "./World.ts"

/** Where the API and the web pages are, for the addresses within replies. */
export interface Places {
  /** `http://127.0.0.1:1234`, without a slash at its end. */
  readonly api: string
  /** `https://github.com`, without a slash at its end. */
  readonly web: string
}

export const nodeId = (prefix: string, id: number): string =>
  `${prefix}_${Buffer.from(String(id)).toString("base64url")}`

export const simpleUser = (places: Places, account: Account): SimpleUser => {
  const api = `${places.api}/users/${account.login}`
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type === "Bot" ? "BOT" : "U", account.id),
    avatar_url: `https://avatars.githubusercontent.com/u/${account.id}?v=4`,
    gravatar_id: "",
    url: api,
    html_url: `${places.web}/${account.login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: account.type,
    user_view_type: "public",
    site_admin: false
  }
}

/** A deleted account is null wherever the shape allows it. */
export const userOrNull = (places: Places, account: Account): SimpleUser | null =>
  account.deleted ? null : simpleUser(places, account)

const ghost: Account = { id: 10_137, login: "ghost", type: "User", deleted: false }

/** A deleted account where the shape allows no null. */
export const userOrGhost = (places: Places, account: Account): SimpleUser =>
  simpleUser(places, account.deleted ? ghost : account)

export const privateUser = (places: Places, account: Account, createdAt: string): PrivateUser => ({
  ...simpleUser(places, account),
  name: null,
  company: null,
  blog: "",
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: createdAt,
  updated_at: createdAt,
  private_gists: 0,
  total_private_repos: 0,
  owned_private_repos: 0,
  disk_usage: 0,
  collaborators: 0,
  two_factor_authentication: true
})

export const labelReply = (places: Places, repo: Repo, label: Label): LabelShape => ({
  id: label.id,
  node_id: nodeId("LA", label.id),
  url: `${places.api}/repos/${nameOf(repo)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  color: label.color,
  default: false,
  description: null
})

export const permissions = (role: Role) => {
  const rank = ["none", "read", "triage", "write", "maintain", "admin"].indexOf(role)
  return { admin: rank >= 5, maintain: rank >= 4, push: rank >= 3, triage: rank >= 2, pull: rank >= 1 }
}

const openItems = (repo: Repo) => repo.items.values().filter((item) => item.state === "open")

/** What both the short and the full shape of a repository hold. */
const common = (places: Places, repo: Repo, owner: Account) => {
  const name = nameOf(repo)
  const api = `${places.api}/repos/${name}`
  const web = `${places.web}/${name}`
  const count = openItems(repo).reduce((sum) => sum + 1, 0)
  return {
    id: repo.id,
    node_id: nodeId("R", repo.id),
    name: repo.name,
    full_name: name,
    private: repo.private,
    owner: simpleUser(places, owner),
    html_url: web,
    description: null,
    fork: false,
    url: api,
    forks_url: `${api}/forks`,
    keys_url: `${api}/keys{/key_id}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    teams_url: `${api}/teams`,
    hooks_url: `${api}/hooks`,
    issue_events_url: `${api}/issues/events{/number}`,
    events_url: `${api}/events`,
    assignees_url: `${api}/assignees{/user}`,
    branches_url: `${api}/branches{/branch}`,
    tags_url: `${api}/tags`,
    blobs_url: `${api}/git/blobs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    trees_url: `${api}/git/trees{/sha}`,
    statuses_url: `${api}/statuses/{sha}`,
    languages_url: `${api}/languages`,
    stargazers_url: `${api}/stargazers`,
    contributors_url: `${api}/contributors`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    commits_url: `${api}/commits{/sha}`,
    git_commits_url: `${api}/git/commits{/sha}`,
    comments_url: `${api}/comments{/number}`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    contents_url: `${api}/contents/{+path}`,
    compare_url: `${api}/compare/{base}...{head}`,
    merges_url: `${api}/merges`,
    archive_url: `${api}/{archive_format}{/ref}`,
    downloads_url: `${api}/downloads`,
    issues_url: `${api}/issues{/number}`,
    pulls_url: `${api}/pulls{/number}`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    labels_url: `${api}/labels{/name}`,
    releases_url: `${api}/releases{/id}`,
    deployments_url: `${api}/deployments`,
    created_at: repo.createdAt,
    updated_at: repo.createdAt,
    pushed_at: repo.createdAt,
    git_url: `git://${new URL(places.web).host}/${name}.git`,
    ssh_url: `git@${new URL(places.web).host}:${name}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: repo.issuesEnabled,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: count,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repo.private ? "private" : "public",
    forks: 0,
    open_issues: count,
    watchers: 0,
    default_branch: "main"
  }
}

export const repositoryReply = (places: Places, repo: Repo, owner: Account): RepositoryShape =>
  common(places, repo, owner)

/** A repository as its own resource shows it, with what the asker may do there. */
export const fullRepositoryReply = (
  places: Places,
  repo: Repo,
  owner: Account,
  role: Role
): FullRepositoryShape => ({
  ...common(places, repo, owner),
  permissions: permissions(role),
  network_count: 0,
  subscribers_count: 0
})

/** The old four words, beside the role's own name. */
const legacyPermission: { readonly [role in Role]: string } = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
  none: "none"
}

export const permissionReply = (places: Places, account: Account, role: Role): PermissionShape => ({
  permission: legacyPermission[role],
  role_name: role,
  user: { ...simpleUser(places, account), permissions: permissions(role), role_name: role }
})
