// core/strength.py: how strong a memory is, by the policy's law; its constants come with the data.

const LAW = data.policy.law;

function stability(spaced) {
  return 1 + 0.5 * (LAW === 'linear' ? spaced : spaced ** 1.5);
}

function retention(days, spaced) {
  const elapsed = Math.max(0, days);
  if (LAW === 'none') return 1;
  if (LAW === 'exponential') return Math.exp(-elapsed / stability(spaced));
  return 1 / (1 + elapsed / data.policy.half_life / stability(spaced));
}

// The stretches of a fact's curve, oldest first: from `at` on, it decays from `base` at `last`.
const curves = new Map();
function curveOf(fact) {
  let stretches = curves.get(fact.id);
  if (!stretches) {
    stretches = [{ at: fact.recorded, base: data.policy.new, last: fact.recorded, spaced: 0 }];
    const set = data.touches[fact.id] || [];
    for (let i = 0; i < set.length; i += 4) {
      stretches.push({ at: set[i], base: set[i + 1] / 1000, last: set[i + 2], spaced: set[i + 3] });
    }
    curves.set(fact.id, stretches);
  }
  return stretches;
}

function strengthAt(fact, moment) {
  const stretches = curveOf(fact);
  let place = stretches.length - 1;
  while (place > 0 && stretches[place].at > moment) place -= 1;
  const { base, last, spaced } = stretches[place];
  return Math.max(data.policy.floor, base * retention((moment - last) / DAY, spaced));
}

const fades = (fact, moment) => !isProtected(fact) && strengthAt(fact, moment) < data.policy.visible;
