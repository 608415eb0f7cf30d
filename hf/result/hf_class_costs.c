/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_class_costs.h"

#include "support/base/log.h"

static double class_seconds(const struct class_cost *cost)
{
    return cost->selection_s + cost->integral_s + cost->digestion_s;
}

static void print_class_cost(const char *name, const struct class_cost *cost)
{
    double ns = 1e9 * class_seconds(cost);
    log_print("%-20s %12.0f %14.0f %10.3f %10.3f %10.3f %11.1f %12.2f %8.1f\n", name,
              cost->quartets, cost->integrals, cost->selection_s, cost->integral_s,
              cost->digestion_s, ns / cost->quartets, ns / cost->integrals,
              100 * cost->primitives / cost->lanes);
}

static void add_class_cost(const struct class_cost *cost, struct class_cost *sum)
{
    sum->quartets += cost->quartets;
    sum->integrals += cost->integrals;
    sum->primitives += cost->primitives;
    sum->lanes += cost->lanes;
    sum->selection_s += cost->selection_s;
    sum->integral_s += cost->integral_s;
    sum->digestion_s += cost->digestion_s;
}

void hf_class_costs_print(const struct class_costs *costs)
{
    struct class_cost sum = {0};
    log_print("\nSeconds by class of shell quartets, of all builds and processes\n"
              "class                    quartets      integrals  selection  integrals  digestion  "
              "ns/quartet  ns/integral  lanes %%\n");
    int n = costs->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        char name[CLASS_NAME_SIZE];
        if (costs->of[class].quartets == 0)
            continue;
        class_costs_name(costs, class / n, class % n, name);
        print_class_cost(name, &costs->of[class]);
        add_class_cost(&costs->of[class], &sum);
    }
    if (sum.quartets > 0)
        print_class_cost("all", &sum);
    log_print("\n");
}

static json_t *class_cost_to_json(const struct class_cost *cost)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "quartets", (json_int_t)cost->quartets,
                     "integrals", (json_int_t)cost->integrals, "primitives",
                     (json_int_t)cost->primitives, "lanes", (json_int_t)cost->lanes,
                     "selection_seconds", cost->selection_s, "integral_seconds", cost->integral_s,
                     "digestion_seconds", cost->digestion_s);
}

json_t *hf_class_costs_to_json(const struct class_costs *costs)
{
    json_t *classes = json_object();
    int n = costs->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        char name[CLASS_NAME_SIZE];
        class_costs_name(costs, class / n, class % n, name);
        if (costs->of[class].quartets > 0)
            json_object_set_new(classes, name, class_cost_to_json(&costs->of[class]));
    }
    return classes;
}
