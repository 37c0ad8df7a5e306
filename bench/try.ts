import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as Rig from "./rig.ts"
const m=Number(process.argv[2])
Effect.runPromise(Effect.scoped(Effect.gen(function*(){
  const api=yield* Rig.forge
  const repos=yield* Rig.repositories(api,5,m)
  const where=yield* Rig.place
  Rig.configure(where,{url:api.url,repos,interval:"2s"})
  yield* Rig.once(where);yield* Rig.once(where)
  const d=yield* Rig.heed(where,"start"); yield* Rig.cycles(where,3)
  const t=(a:string[])=>{const s=performance.now();const r=spawnSync(process.execPath,a,{cwd:where.folder,encoding:"utf8"});if(r.status)console.log(r.stderr,r.stdout);return performance.now()-s}
  const ask=`const s=require("net").createConnection(".heed/heed.sock");s.on("data",()=>{});s.on("close",()=>process.exit(0));s.write('{"version":1,"request":"status"}\\n')`
  const rows:Record<string,string[]>={bare:["-e","0"],net:["-e",'require("net")'],ask:["-e",ask],yaml:[`/tmp/pr/o_b/b.mjs`],status:[Rig.heedFile,"status"],json:[Rig.heedFile,"status","--json"],help:[Rig.heedFile,"--help"]}
  const out:Record<string,number[]>={}
  for(let i=0;i<20;i++)for(const k in rows)(out[k]??=[]).push(t(rows[k]!))
  for(const k in out)console.log(k,Rig.median(out[k]!.slice(2)).toFixed(1),Math.min(...out[k]!).toFixed(1))
})))
