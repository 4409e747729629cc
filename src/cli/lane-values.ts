/** The settings of lanes, for commands that show them. */
import type { WrittenLanes } from '../config/schema-lanes.ts';
import type { Context } from './context.ts';

export const isOfLanes = (setting: string): boolean => setting.startsWith('lanes.');

/** What holds for lanes in a project, and who says so. */
export async function laneValues({ env }: Context, repository: WrittenLanes) {
  const [{ laneSettingNamed }, { effectiveLanes }, { userLanes }, { homeOf }] = await Promise.all([
    import('../lanes/setting-names.ts'),
    import('../lanes/workers/settings.ts'),
    import('../config/user-config.ts'),
    import('../store/home.ts'),
  ]);
  const own = await userLanes(homeOf(env));
  const effective = effectiveLanes(repository, own);
  return {
    value: (name: string): unknown => laneSettingNamed(name, effective),
    source(name: string): string {
      if (laneSettingNamed(name, own) !== null) return 'you';
      return laneSettingNamed(name, repository) === null ? 'default' : 'lanehold.json';
    },
  };
}
